import { type MachineProblem, wholeMachine } from '@sandglass/machines/contract'
import { Backoff } from '@sandglass/supervision'
import type { Logger } from 'pino'
import type { HealthNotes } from './health-notes.ts'

interface Retry {
  readonly backoff: Backoff
  timer?: NodeJS.Timeout
}

/**
 * Machines that cannot be reached. A broken network is not a death: their rows and sandboxes stay as they are, the
 * sandboxes show the problem, and each machine is tried again until the engine says what became of it.
 */
export class UnreachableMachines {
  readonly #health: HealthNotes
  readonly #log: Logger
  readonly #problems = new Map<string, MachineProblem>()
  readonly #retries = new Map<string, Retry>()
  /** Finds out how the machine is now, and takes it up where it runs. */
  retry: (id: string) => Promise<void> = async () => {}

  constructor(health: HealthNotes, log: Logger) {
    this.#health = health
    this.#log = log
  }

  /** Why it cannot be reached, as a sentence; undefined where nothing is known to be wrong. */
  reasonOf(id: string): string | undefined {
    return this.#problems.get(id)?.reason
  }

  /** Whether it is tried again by itself. */
  isRetried(id: string): boolean {
    return this.#retries.has(id)
  }

  /** Shows the problem on its sandbox; somebody else sees to it that the machine is taken up. */
  show(id: string, reason: string): void {
    const since = this.#problems.get(id)?.since ?? new Date()
    const problem = { component: wholeMachine, reason, since }
    this.#problems.set(id, problem)
    this.#health.show(id, problem)
  }

  /** Shows the problem and tries the machine again, with backoff, until it is dropped. */
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

  /** It is known how the machine is, or it is gone. */
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
