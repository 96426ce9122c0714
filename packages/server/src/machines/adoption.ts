import { type Engine, MachineError } from '@sandglass/machines/contract'
import { type Failure, Supervised } from '@sandglass/supervision'
import type { Logger } from 'pino'
import type { Engines } from './engines.ts'

/**
 * Adopts the machines that each engine has from before the start. An engine that is down or fails does not delay the
 * others: adopting its machines is retried with backoff until it succeeds.
 */
export class Adoption {
  readonly #engines: Engines
  readonly #adopt: (engine: Engine) => Promise<void>
  readonly #log: Logger
  readonly #attempts = new Map<string, Supervised<Engine>>()
  /** Called when the machines of an engine have been adopted, so that it can create new ones. */
  onAdopted: (engine: string) => void = () => {}
  /** Called with the reason when an engine is down, or when adopting its machines fails. */
  onFailure: (engine: string, reason: string) => void = () => {}

  constructor(engines: Engines, adopt: (engine: Engine) => Promise<void>, log: Logger) {
    this.#engines = engines
    this.#adopt = adopt
    this.#log = log
  }

  /** Settles when the first attempt for every engine that is open now has succeeded or failed. */
  async start(): Promise<void> {
    const attempts = this.#engines.names.map(async name => {
      if (this.#engines.get(name)) return await this.#attempt(name)
      void this.#engines.opened(name).then(() => this.#attempt(name))
      const health = await this.#engines.health(name)
      if (!health.ready) this.onFailure(name, health.reason)
    })
    await Promise.all(attempts)
  }

  isAdopted(name: string): boolean {
    return this.#attempts.get(name)?.current !== undefined
  }

  /** The engines whose machines have been adopted. */
  get adopted(): Engine[] {
    return [...this.#attempts.values()].flatMap(({ current }) => current ?? [])
  }

  /** Why the machines of an engine could not be adopted; undefined after success and during the first attempt. */
  failureOf(name: string): string | undefined {
    const failure = this.#attempts.get(name)?.failure
    return failure && reasonOf(failure.reason)
  }

  close(): void {
    for (const attempt of this.#attempts.values()) attempt.close()
  }

  async #attempt(name: string): Promise<void> {
    const attempt = new Supervised<Engine>({
      open: async () => {
        const engine = await this.#engines.opened(name)
        await this.#adopt(engine)
        return engine
      },
      ended: () => new Promise(() => {}),
      close: () => {},
      probes: true,
      onFailure: failure => {
        if (failure) return this.#failed(name, failure)
        this.#log.info({ engine: name }, 'the machines of an engine were taken up')
        this.onAdopted(name)
      },
    })
    this.#attempts.set(name, attempt)
    await attempt.get().then(
      () => this.onAdopted(name),
      () => {},
    )
  }

  #failed(engine: string, { reason, attempts }: Failure): void {
    this.onFailure(engine, reasonOf(reason))
    if (attempts === 1)
      this.#log.warn(
        { engine, error: reason },
        'the machines of an engine could not be taken up; it is tried again',
      )
  }
}

function reasonOf(error: unknown): string {
  return error instanceof MachineError ? error.message : 'Its machines could not be taken up.'
}
