import type { Actor } from '../../auth/principal.ts'
import type { Prepared } from '../../db/database.ts'
import type { Listener } from '../../db/listener.ts'
import { VouchedCache } from '../../db/vouched-cache.ts'
import { isVisibleTo, type SandboxRow, selectSandbox } from '../../records/sandboxes.ts'

/**
 * Caches the sandboxes that agents act in, because a query takes as long as the action itself. Only a running sandbox
 * under the control of its agent is cached, since every change of that state is announced. Any other sandbox is read from
 * the database each time, so that a caller who saw it run is never told from the cache that it does not.
 */
export class KnownSandboxes {
  readonly #prepared: Prepared
  readonly #listener: Pick<Listener, 'isFresh'>
  readonly #running = new VouchedCache<SandboxRow | undefined>()

  constructor(prepared: Prepared, listener: Pick<Listener, 'isFresh'>) {
    this.#prepared = prepared
    this.#listener = listener
  }

  /** Finds a sandbox. Its expiry and its health may be out of date. Returns undefined if the caller may not see it. */
  async find(member: Actor, id: string): Promise<SandboxRow | undefined> {
    const known = this.#running.recall(id, this.#listener)
    if (known) return isVisibleTo(known, member) ? known : undefined
    let found: SandboxRow | undefined
    await this.#running.get(id, this.#listener, async () => {
      found = await selectSandbox(this.#prepared, member, id)
      return found?.status === 'RUNNING' && found.control === 'agent' ? found : undefined
    })
    return found
  }

  /** Call this when the sandbox has changed or was deleted. */
  forget(id: string): void {
    this.#running.forget(id)
  }

  /** Call this when notifications may have been missed. */
  forgetAll(): void {
    this.#running.forgetAll()
  }
}
