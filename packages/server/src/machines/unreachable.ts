import { type MachineProblem, wholeMachine } from '@sandglass/machines/contract'
import { Backoff } from '@sandglass/supervision'
import type { Logger } from 'pino'
import type { HealthNotes } from './health-notes.ts'

interface Retry {
  readonly backoff: Backoff
  timer?: NodeJS.Timeout
}

/**
 * Machines that cannot be reached. They may still run behind a broken network, so their rows and sandboxes are not changed.
 * The sandboxes show the problem, and each machine is retried until the engine reports its state.
 */
export class UnreachableMachines {
  readonly #health: HealthNotes
  readonly #log: Logger
  readonly #problems = new Map<string, MachineProblem>()
  readonly #retries = new Map<string, Retry>()
  /** Determines the state of the machine, and watches it if it runs. */
  retry: (id: string) => Promise<void> = async () => {}

  constructor(health: HealthNotes, log: Logger) {
    this.#health = health
    this.#log = log
  }

  get ids(): string[] {
    return [...this.#problems.keys()]
  }

  /** Returns why the machine cannot be reached, as a sentence, or undefined if no problem is known. */
  reasonOf(id: string): string | undefined {
    return this.#problems.get(id)?.reason
  }

  /** Whether the machine is being retried. */
  isRetried(id: string): boolean {
    return this.#retries.has(id)
  }

  /** Shows the problem on the sandbox without retrying the machine, for callers that retry it themselves. */
  show(id: string, reason: string): void {
    const since = this.#problems.get(id)?.since ?? new Date()
    const problem = { component: wholeMachine, reason, since }
    this.#problems.set(id, problem)
    this.#health.show(id, problem)
  }

  /** Shows the problem, and retries the machine with backoff until `drop` is called. */
  add(id: string, reason: string): void {
    this.show(id, reason)
    if (this.#retries.has(id)) return
    this.#log.warn(
      { machine: id, reason },
      'a machine cannot be reached; it is left as it is and tried again',
    )
    const backoff = new Backoff({ firstMs: 500, maxMs: 15_000 })
    const retry: Retry = { backoff }
    this.#retries.set(id, retry)
    this.#schedule(id, retry)
  }

  /** Removes the problem. Call it when the state of the machine is known again, or when the machine is gone. */
  drop(id: string): void {
    if (!this.#problems.delete(id)) return
    this.#health.unfollow(id)
    clearTimeout(this.#retries.get(id)?.timer)
    this.#retries.delete(id)
  }

  close(): void {
    for (const id of [...this.#problems.keys()]) this.drop(id)
  }

  #schedule(id: string, retry: Retry): void {
    retry.backoff.failed()
    retry.timer = setTimeout(() => void this.#try(id, retry), retry.backoff.delayMs).unref()
  }

  async #try(id: string, retry: Retry): Promise<void> {
    await this.retry(id).catch(error => this.#log.warn({ machine: id, error }, 'a machine was not taken up'))
    if (this.#retries.get(id) === retry) this.#schedule(id, retry)
  }
}
