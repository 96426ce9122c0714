import type { FastifyInstance } from 'fastify'
import { collectDefaultMetrics, Histogram, Registry } from 'prom-client'

type Series = Histogram.Internal<'operation' | 'status'>

/** What Prometheus reads. */
export class Metrics {
  /** Where parts of the service enter figures of their own. */
  readonly registry = new Registry()
  readonly #requests = new Histogram({
    name: 'sandglass_http_request_seconds',
    help: 'How long requests took, by operation and status.',
    labelNames: ['operation', 'status'] as const,
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [this.registry],
  })

  constructor() {
    collectDefaultMetrics({ register: this.registry })
  }

  get contentType(): string {
    return this.registry.contentType
  }

  text(): Promise<string> {
    return this.registry.metrics()
  }

  /** Measures every request of an app. */
  observe(app: FastifyInstance): void {
    const series = new Map<string, Map<number, Series>>()
    app.addHook('onResponse', ({ route }, { statusCode, elapsedTime }, done) => {
      const operation = route?.operation?.id ?? 'other'
      const known = series.get(operation)?.get(statusCode)
      const one = known ?? this.#requests.labels(operation, String(statusCode))
      if (!known) series.set(operation, new Map(series.get(operation)).set(statusCode, one))
      one.observe(elapsedTime / 1000)
      done()
    })
  }
}
