import { ChunkPace } from '@sandglass/mappings'
import { ApiError } from '@sandglass/protocol'
import type { SandboxRow } from '../../records/sandboxes.ts'
import type { OpenConnection } from './open-connection.ts'
import type { Direction } from './tunnel.ts'

export interface TunnelLimits {
  readonly perSandbox: number
  readonly perOrganization: number
}

/** The sandbox of a tunnel. */
export type TunnelOwner = Pick<SandboxRow, 'id' | 'org_id' | 'idle_seconds'>

/** The tunnels of one sandbox. */
interface OfSandbox {
  readonly tunnels: Set<OpenConnection>
  /** One for all of them, so that more tunnels do not allow more small pieces. */
  readonly pace: ChunkPace
  /** The places that are taken, including those of tunnels that are not open yet. */
  taken: number
  /** Whether it ends, or is put to sleep, when nobody uses it. */
  canBeIdle: boolean
  /** How often the sandbox has changed since the first of the tunnels. */
  changes: number
}

/** A place among the open tunnels, which is taken before the port is dialled. */
export interface Place {
  readonly pace: ChunkPace
  readonly canBeIdle: boolean
  /** Whether the sandbox has changed since the place was taken. */
  readonly isOutdated: boolean
  fill(tunnel: OpenConnection): void
  /** Call it when the tunnel has ended, or was not opened. */
  leave(): void
}

const retrySeconds = 5

/** The open tunnels of this process, within the limits. */
export class OpenTunnels {
  readonly #limits: TunnelLimits
  readonly #bySandbox = new Map<string, OfSandbox>()
  readonly #takenByOrganization = new Map<string, number>()
  /** How many bytes went each way since the start of the process. */
  readonly bytes: Record<Direction, number> = { in: 0, out: 0 }

  constructor(limits: TunnelLimits) {
    this.#limits = limits
  }

  get count(): number {
    let count = 0
    for (const { tunnels } of this.#bySandbox.values()) count += tunnels.size
    return count
  }

  of(sandboxId: string): readonly OpenConnection[] {
    return [...(this.#bySandbox.get(sandboxId)?.tunnels ?? [])]
  }

  get all(): readonly OpenConnection[] {
    return [...this.#bySandbox.keys()].flatMap(id => this.of(id))
  }

  get sandboxIds(): readonly string[] {
    return [...this.#bySandbox.keys()]
  }

  /** Call this when a sandbox has changed. Returns whether it has tunnels, or will have some in a moment. */
  changed(id: string): boolean {
    const ofSandbox = this.#bySandbox.get(id)
    if (ofSandbox) ofSandbox.changes++
    return ofSandbox !== undefined
  }

  /** Updates what is known about a sandbox. */
  refresh({ id, idle_seconds }: TunnelOwner): void {
    const ofSandbox = this.#bySandbox.get(id)
    if (ofSandbox) ofSandbox.canBeIdle = idle_seconds !== null
  }

  /** Throws if there are too many. */
  take({ id, org_id, idle_seconds }: TunnelOwner): Place {
    const { perSandbox, perOrganization } = this.#limits
    const known = this.#bySandbox.get(id)
    const taken = this.#takenByOrganization.get(org_id) ?? 0
    if ((known?.taken ?? 0) >= perSandbox)
      throw tooMany(`A sandbox can have at most ${perSandbox} open tunnels.`)
    if (taken >= perOrganization)
      throw tooMany(`An organization can have at most ${perOrganization} open tunnels per process.`)
    const ofSandbox = known ?? newSandbox()
    ofSandbox.canBeIdle = idle_seconds !== null
    const { changes } = ofSandbox
    this.#bySandbox.set(id, ofSandbox)
    ofSandbox.taken++
    this.#takenByOrganization.set(org_id, taken + 1)
    let filled: OpenConnection | undefined
    let isTaken = true
    return {
      pace: ofSandbox.pace,
      get canBeIdle() {
        return ofSandbox.canBeIdle
      },
      get isOutdated() {
        return ofSandbox.changes !== changes
      },
      fill: tunnel => {
        filled = tunnel
        ofSandbox.tunnels.add(tunnel)
      },
      leave: () => {
        if (!isTaken) return
        isTaken = false
        if (filled) ofSandbox.tunnels.delete(filled)
        if (--ofSandbox.taken === 0) this.#bySandbox.delete(id)
        this.#leaveOrganization(org_id)
      },
    }
  }

  #leaveOrganization(id: string): void {
    const left = (this.#takenByOrganization.get(id) ?? 1) - 1
    if (left > 0) this.#takenByOrganization.set(id, left)
    else this.#takenByOrganization.delete(id)
  }
}

function newSandbox(): OfSandbox {
  return { tunnels: new Set(), pace: new ChunkPace(), taken: 0, canBeIdle: false, changes: 0 }
}

function tooMany(message: string): ApiError {
  return new ApiError('tunnel.TOO_MANY', { message, retryAfter: retrySeconds })
}
