import type { SandboxRow } from '../../../records/sandboxes.ts'
import type { SandboxUse } from '../use.ts'

/** A call into a sandbox, or a shell whose command runs. */
export type WorkKind = 'call' | 'shell'

/**
 * What goes on in the sandboxes of this process, and which of them are being put to sleep. A call is counted before it asks
 * whether the sandbox is closed, and a sandbox is closed before its calls are counted. So a call is either waited for, or waits
 * until the sandbox is asleep and then wakes it, and never meets a machine that stops under it.
 */
export class SandboxWork {
  readonly #use: SandboxUse
  /** By sandbox. Each entry settles when the call or the shell has ended. */
  readonly #ongoing = new Map<string, Map<Promise<void>, WorkKind>>()
  readonly #closed = new Map<string, PromiseWithResolvers<void>>()

  constructor(use: SandboxUse) {
    this.#use = use
  }

  /** Counts a call or a shell until the function that it returns is called. The idle time begins then. */
  begin({ id, idle_seconds }: Pick<SandboxRow, 'id' | 'idle_seconds'>, kind: WorkKind): () => void {
    const ongoing = this.#ongoing.get(id) ?? new Map<Promise<void>, WorkKind>()
    this.#ongoing.set(id, ongoing)
    const { promise, resolve } = Promise.withResolvers<void>()
    ongoing.set(promise, kind)
    return () => {
      if (!ongoing.delete(promise)) return
      resolve()
      if (ongoing.size === 0) this.#ongoing.delete(id)
      if (idle_seconds !== null) this.#use.touched(id)
    }
  }

  /** Whether a call or a shell is running in it, or was a moment ago. */
  isBusy(id: string): boolean {
    return this.#ongoing.has(id) || this.#use.isRecent(id)
  }

  /** Lets new calls wait until the returned object is disposed. Returns undefined if the sandbox is closed already. */
  close(id: string): Disposable | undefined {
    if (this.#closed.has(id)) return undefined
    const closed = Promise.withResolvers<void>()
    this.#closed.set(id, closed)
    return {
      [Symbol.dispose]: () => {
        this.#closed.delete(id)
        closed.resolve()
      },
    }
  }

  /** Settles when the sandbox is not being put to sleep. Undefined if it is not. */
  opened(id: string): Promise<void> | undefined {
    return this.#closed.get(id)?.promise
  }

  /** Settles when the calls have ended that run now, or when the time is over. */
  async quiet(id: string, timeoutMs: number): Promise<void> {
    const calls = [...(this.#ongoing.get(id) ?? [])].filter(([, kind]) => kind === 'call')
    if (calls.length === 0) return
    const over = Promise.withResolvers<void>()
    const timer = setTimeout(over.resolve, timeoutMs)
    await Promise.race([Promise.all(calls.map(([ended]) => ended)), over.promise])
    clearTimeout(timer)
  }
}
