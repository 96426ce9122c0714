import type { FastifyInstance } from 'fastify'
import { collectDefaultMetrics, Registry } from 'prom-client'
import { RequestDurations } from './request-durations.ts'

/** What Prometheus reads. */
export class Metrics {
  /** Where parts of the service enter figures of their own. */
  readonly registry = new Registry()
  readonly #requests = new RequestDurations()

  constructor() {
    collectDefaultMetrics({ register: this.registry })
  }

  get contentType(): string {
    return this.registry.contentType
  }

  async text(): Promise<string> {
    return `${await this.registry.metrics()}\n${this.#requests.text()}`
  }

  /** Measures every request of an app. */
  observe(app: FastifyInstance): void {
    app.addHook('onResponse', ({ route }, { statusCode, elapsedTime }, done) => {
      this.#requests.observe(route?.operation?.id ?? 'other', statusCode, elapsedTime / 1000)
      done()
    })
  }
}
