import type { Sandbox } from '@sandglass/protocol'
import type { Actor } from '../../auth/principal.ts'
import type { Prepared } from '../../db/database.ts'
import type { Api } from '../../http/api.ts'
import { type SandboxRow, sandboxOf, selectSandbox } from '../../records/sandboxes.ts'

/** Aborts when the seconds are over, the caller disconnects, or the service closes. */
export function endOfWait(
  { closing }: Pick<Api, 'closing'>,
  seconds: number,
  signal: AbortSignal,
): AbortSignal {
  return AbortSignal.any([signal, closing, AbortSignal.timeout(seconds * 1000)])
}

/**
 * Lets calls wait until a sandbox is no longer PENDING. Every change of a sandbox's status is announced to all processes,
 * so it does not matter which one has the machine, and the database is read only after an announcement.
 */
export class PendingSandboxes {
  readonly #prepared: Prepared
  readonly #waiting = new Map<string, Set<() => void>>()

  constructor(prepared: Prepared) {
    this.#prepared = prepared
  }

  /** Call this when the sandbox has changed or was deleted. */
  changed(id: string): void {
    for (const wake of this.#waiting.get(id) ?? []) wake()
  }

  /** Call this when announcements may have been missed. */
  allChanged(): void {
    for (const id of this.#waiting.keys()) this.changed(id)
  }

  /**
   * Returns the sandbox as soon as it is RUNNING, has failed or has stopped, and as it is then when the signal aborts.
   * Returns undefined if it was deleted, or if the caller may not see it.
   */
  async outcome(member: Actor, id: string, signal: AbortSignal): Promise<SandboxRow | undefined> {
    let wake = () => {}
    const onChange = () => wake()
    this.#add(id, onChange)
    signal.addEventListener('abort', onChange)
    try {
      for (;;) {
        // Listen before reading, so that no change in between is missed.
        const changed = new Promise<void>(resolve => {
          wake = resolve
        })
        const isLast = signal.aborted
        const sandbox = await selectSandbox(this.#prepared, member, id)
        if (sandbox?.status !== 'PENDING' || isLast) return sandbox
        await changed
      }
    } finally {
      signal.removeEventListener('abort', onChange)
      this.#remove(id, onChange)
    }
  }

  /** Returns a sandbox that was just created, as {@link outcome} does. It never fails, because the sandbox exists. */
  async settled(member: Actor, created: Sandbox, signal: AbortSignal): Promise<Sandbox> {
    if (created.status !== 'PENDING') return created
    const sandbox = await this.outcome(member, created.id, signal).catch(() => undefined)
    return sandbox ? sandboxOf(sandbox) : created
  }

  #add(id: string, onChange: () => void): void {
    const waiting = this.#waiting.get(id) ?? new Set()
    this.#waiting.set(id, waiting.add(onChange))
  }

  #remove(id: string, onChange: () => void): void {
    const waiting = this.#waiting.get(id)
    waiting?.delete(onChange)
    if (waiting?.size === 0) this.#waiting.delete(id)
  }
}
