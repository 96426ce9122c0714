import type { Duplex } from 'node:stream'
import { MachineError } from '@sandglass/machines/contract'
import { ApiError } from '@sandglass/protocol'
import type { Logger } from 'pino'
import type { Database } from '../../db/database.ts'
import type { Housekeeping } from '../../housekeeping.ts'
import type { Metrics } from '../../ops/metrics.ts'
import { type SandboxRow, selectById } from '../../records/sandboxes.ts'
import type { Settings } from '../../settings.ts'
import type { SandboxUse } from '../sandboxes/use.ts'
import type { OpenConnection, Patience } from './open-connection.ts'
import { OpenTunnels, type Place } from './open-tunnels.ts'
import { Tunnel, type TunnelParts } from './tunnel.ts'

const checkEverySeconds = 5
const patience: Patience = {
  // Frequent enough for proxies, which close silent connections.
  askEveryMs: 30_000,
  // A caller may stop reading for a while, and then does not answer either.
  silentMs: 600_000,
}

export interface TunnelServiceParts {
  readonly settings: Settings
  readonly db: Database
  readonly use: SandboxUse
  readonly metrics: Metrics
  readonly log: Logger
}

/** The tunnels to machines of this process. */
export class TunnelService {
  readonly #db: Database
  readonly #use: SandboxUse
  readonly #log: Logger
  readonly #open: OpenTunnels
  #isClosed = false

  constructor({ settings, db, use, metrics, log }: TunnelServiceParts) {
    this.#db = db
    this.#use = use
    this.#log = log
    this.#open = new OpenTunnels({
      perSandbox: settings.SANDGLASS_SANDBOX_TUNNELS,
      perOrganization: settings.SANDGLASS_ORGANIZATION_TUNNELS,
    })
    metrics.watchTunnels(this.#open)
  }

  /** Takes a place for a tunnel to a sandbox, or throws if there are too many. */
  take(sandbox: SandboxRow): Place {
    if (this.#isClosed) throw new ApiError('service.UNAVAILABLE', { retryAfter: 1 })
    return this.#open.take(sandbox)
  }

  /** Joins a WebSocket and a connection into the machine. */
  join(
    { id }: SandboxRow,
    place: Place,
    webSocket: TunnelParts['webSocket'],
    guest: Duplex,
    onEnd: () => void,
  ): Tunnel {
    const tunnel = new Tunnel({
      webSocket,
      guest,
      pace: place.pace,
      onBytes: (direction, bytes) => {
        this.#open.bytes[direction] += bytes
        if (place.canBeIdle) this.#use.touched(id)
      },
      whyLost: async error => whyNotRunning(await this.#read(id)) ?? whyBroken(error),
      onEnd,
    })
    this.hold(id, place, tunnel)
    return tunnel
  }

  /** Counts an open connection, and closes it when its sandbox does not run any more. */
  hold(id: string, place: Place, connection: OpenConnection): void {
    place.fill(connection)
    // It may have been paused while the port was dialled.
    if (place.isOutdated) this.sandboxChanged(id)
  }

  /** Call this when bytes went through a connection that is not a tunnel. */
  used(id: string, place: Place): void {
    if (place.canBeIdle) this.#use.touched(id)
  }

  /** Closes the tunnels of a sandbox that does not run any more. */
  sandboxChanged(id: string): void {
    if (!this.#open.changed(id)) return
    this.#closeEnded(id).catch(error =>
      this.#log.warn({ sandbox: id, error }, 'it could not be checked whether tunnels may stay open'),
    )
  }

  /** Call this when announcements may have been missed. */
  checkAll(): void {
    for (const id of this.#open.sandboxIds) this.sandboxChanged(id)
  }

  start(housekeeping: Housekeeping): void {
    housekeeping.every(checkEverySeconds, 'looking for callers of tunnels that are gone', async () => {
      for (const tunnel of this.#open.all) tunnel.check(patience)
    })
  }

  close(): void {
    this.#isClosed = true
    for (const tunnel of this.#open.all) tunnel.close(new ApiError('service.UNAVAILABLE'))
  }

  async #closeEnded(id: string): Promise<void> {
    const sandbox = await this.#read(id)
    const whyNot = whyNotRunning(sandbox)
    for (const connection of this.#open.of(id)) {
      const why = whyNot ?? (sandbox && connection.whyRevoked?.(sandbox))
      if (why) connection.close(why)
    }
  }

  async #read(id: string): Promise<SandboxRow | undefined> {
    const sandbox = await selectById(this.#db, id)
    if (sandbox) this.#open.refresh(sandbox)
    return sandbox
  }
}

function whyNotRunning(sandbox: SandboxRow | undefined): ApiError | undefined {
  if (!sandbox) return new ApiError('sandbox.NOT_FOUND')
  return sandbox.status === 'RUNNING' ? undefined : new ApiError('sandbox.STATE')
}

/** If the way into the machine broke, the error says so. Otherwise the program itself has reset the connection. */
function whyBroken(error: Error | undefined): ApiError {
  const isLost = error instanceof MachineError && error.code === 'UNREACHABLE'
  return new ApiError(isLost ? 'sandbox.UNREACHABLE' : 'tunnel.RESET')
}
