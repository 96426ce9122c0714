import { Counter, Histogram, type Registry } from 'prom-client'

/** The metrics of actions. Types and error codes are those of the protocol, so that there are only so many of them. */
export class ActionMetrics {
  readonly #actions: Counter<'type' | 'outcome'>
  readonly #seconds: Histogram<'type'>

  constructor(registry: Registry) {
    const registers = [registry]
    this.#actions = new Counter({
      name: 'sandglass_actions_total',
      help: 'Actions in sandboxes, by type and outcome: done, abandoned (the caller has gone), or the code of the error.',
      labelNames: ['type', 'outcome'],
      registers,
    })
    this.#seconds = new Histogram({
      name: 'sandglass_action_seconds',
      help: 'How long actions took with the look at the screen afterwards, by type. Those that did not get their turn are left out.',
      labelNames: ['type'],
      buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
      registers,
    })
  }

  ended(type: string, outcome: string, seconds: number): void {
    this.#actions.inc({ type, outcome })
    if (outcome === 'done') this.#seconds.observe({ type }, seconds)
  }
}
