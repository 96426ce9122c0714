import type { Actor } from '../../auth/principal.ts'
import type { Prepared } from '../../db/database.ts'
import type { Listener } from '../../db/listener.ts'
import { VouchedCache } from '../../db/vouched-cache.ts'
import { isVisibleTo, type SandboxRow, selectSandbox } from '../../records/sandboxes.ts'

/**
 * Sandboxes that agents act in, remembered from one action to the next: to ask the database each time takes as long as
 * the action itself. Only one that runs and that its agent has is remembered, since every change of that is announced; of any other the
 * database is asked, so that nobody who saw it run is told that it does not.
 */
export class KnownSandboxes {
  readonly #prepared: Prepared
  readonly #listener: Pick<Listener, 'isFresh'>
  readonly #running = new VouchedCache<SandboxRow | undefined>()

  constructor(prepared: Prepared, listener: Pick<Listener, 'isFresh'>) {
    this.#prepared = prepared
    this.#listener = listener
  }

  /** As it is, but for when it ends and what is said of it. Undefined where the caller may not see it. */
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

  /** It changed, or is gone. */
  forget(id: string): void {
    this.#running.forget(id)
  }

  /** What was announced may have been missed. */
  forgetAll(): void {
    this.#running.forgetAll()
  }
}
