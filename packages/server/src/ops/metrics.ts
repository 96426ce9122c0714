import type { FastifyInstance } from 'fastify'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

type Series = Histogram.Internal<'operation' | 'status'>

/** What Prometheus reads. */
export class Metrics {
  readonly #registry = new Registry()
  readonly #requests = new Histogram({
    name: 'sandglass_http_request_seconds',
    help: 'How long requests took, by operation and status.',
    labelNames: ['operation', 'status'] as const,
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [this.#registry],
  })

  readonly #mapped = new Counter({
    name: 'sandglass_mapping_requests_total',
    help: 'Requests through mapped ports, by the class of their status; 0xx where there was no answer.',
    labelNames: ['status'] as const,
    registers: [this.#registry],
  })

  readonly #mappedBy: Counter.Internal[] = []

  constructor() {
    collectDefaultMetrics({ register: this.#registry })
  }

  get contentType(): string {
    return this.#registry.contentType
  }

  text(): Promise<string> {
    return this.#registry.metrics()
  }

  countMapped(status: number): void {
    const hundreds = Math.floor(status / 100)
    this.#mappedBy[hundreds] ??= this.#mapped.labels(`${hundreds}xx`)
    this.#mappedBy[hundreds].inc()
  }

  /** How many requests and WebSockets are open through mapped ports. */
  watchMapped(open: () => number): void {
    new Gauge({
      name: 'sandglass_mapping_open',
      help: 'Requests and WebSockets that are open through mapped ports.',
      registers: [this.#registry],
      collect() {
        this.set(open())
      },
    })
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
