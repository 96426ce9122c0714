import { MachineError } from '@sandglass/machines/contract'
import type { Logger } from 'pino'
import { TrackedWork } from './tracked-work.ts'

/** What an engine keeps until it is told to remove it, such as saved disks or volumes. */
interface Store<Handle> {
  list(): Promise<readonly { readonly id: string; readonly handle: Handle }[]>
  remove(handle: Handle): Promise<void>
}

interface DoomedRow<Handle> {
  readonly id: string
  /** Null if the service ended before it recorded what the engine had made. */
  readonly handle: Handle | null
}

export interface DoomedRemovalParts {
  /** What is removed, in the plural, as the log names it. */
  readonly what: string
  /** Removes everything that is doomed and that nothing needs any more. */
  readonly removeAll: () => Promise<void>
  readonly log: Logger
}

/**
 * Removes in the background what is doomed, one pass at a time, and tracks the work of its owner, so that a stop can wait for
 * all of it. What fails is logged, and retried when removal is requested again, as every sweep does.
 */
export class DoomedRemoval {
  readonly #parts: DoomedRemovalParts
  readonly #work = new TrackedWork()
  readonly #closing = new AbortController()
  #isRequested = false
  #running: Promise<void> | undefined

  constructor(parts: DoomedRemovalParts) {
    this.#parts = parts
  }

  /** Aborted when the service stops. */
  get closing(): AbortSignal {
    return this.#closing.signal
  }

  track<T>(work: Promise<T>): Promise<T> {
    return this.#work.track(work)
  }

  /** Starts a pass, or another one after the current one, which may have missed what was doomed meanwhile. */
  request(): void {
    if (this.closing.aborted) return
    this.#isRequested = true
    this.#running ??= this.track(this.#removeWhileRequested())
  }

  async #removeWhileRequested(): Promise<void> {
    // Let the caller dispose of what it holds first.
    await new Promise(resolve => setImmediate(resolve))
    while (this.#isRequested && !this.closing.aborted) {
      this.#isRequested = false
      const { what, removeAll, log } = this.#parts
      await removeAll().catch(error => log.warn({ error }, `${what} were not removed; retrying later`))
    }
    this.#running = undefined
  }

  /** Removes what a row stands for from the engine, and then lets `forget` delete the row. */
  async remove<Handle>(
    store: Store<Handle>,
    row: DoomedRow<Handle>,
    forget: (id: string) => Promise<void>,
  ): Promise<void> {
    try {
      const handle = row.handle ?? (await store.list()).find(({ id }) => id === row.id)?.handle
      if (handle) await store.remove(handle)
      await forget(row.id)
    } catch (error) {
      const { what, log } = this.#parts
      log.warn({ id: row.id, error }, `one of the ${what} could not be removed; retrying later`)
    }
  }

  /** Aborts `closing`, and waits until the work in progress has been recorded. */
  async close(): Promise<void> {
    this.#closing.abort(new MachineError('STATE', 'The service is stopping.'))
    await this.#work.settled()
  }
}
