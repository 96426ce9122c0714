import type { FastifyInstance } from 'fastify'
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import { RequestDurations } from './request-durations.ts'

/** The metrics for Prometheus. */
export class Metrics {
  /** Parts of the service register their own metrics here. */
  readonly registry = new Registry()
  readonly #requests = new RequestDurations()

  readonly #mapped = new Counter({
    name: 'sandglass_mapping_requests_total',
    help: 'Requests through mapped ports, by the class of their status; 0xx where there was no answer.',
    labelNames: ['status'] as const,
    registers: [this.registry],
  })

  readonly #mappedBy: Counter.Internal[] = []

  constructor() {
    collectDefaultMetrics({ register: this.registry })
  }

  get contentType(): string {
    return this.registry.contentType
  }

  async text(): Promise<string> {
    return `${await this.registry.metrics()}\n${this.#requests.text()}`
  }

  countMapped(status: number): void {
    const hundreds = Math.floor(status / 100)
    this.#mappedBy[hundreds] ??= this.#mapped.labels(`${hundreds}xx`)
    this.#mappedBy[hundreds].inc()
  }

  /** Reports the number of open requests and WebSockets through mapped ports. */
  watchMapped(open: () => number): void {
    new Gauge({
      name: 'sandglass_mapping_open',
      help: 'Requests and WebSockets that are open through mapped ports.',
      registers: [this.registry],
      collect() {
        this.set(open())
      },
    })
  }

  /** Reports the open tunnels, and what went through all of them. */
  watchTunnels(tunnels: {
    readonly count: number
    readonly bytes: { readonly in: number; readonly out: number }
  }): void {
    new Gauge({
      name: 'sandglass_tunnels_open',
      help: 'Tunnels that are open to ports of machines of this node.',
      registers: [this.registry],
      collect() {
        this.set(tunnels.count)
      },
    })
    new Counter({
      name: 'sandglass_tunnel_bytes_total',
      help: 'Bytes through tunnels, by direction: into machines, or out of them.',
      labelNames: ['direction'] as const,
      registers: [this.registry],
      collect() {
        this.reset()
        this.inc({ direction: 'in' }, tunnels.bytes.in)
        this.inc({ direction: 'out' }, tunnels.bytes.out)
      },
    })
  }

  /** Reports the number of running machines on this node of which a part is unreachable. */
  watchProblems(count: () => number): void {
    new Gauge({
      name: 'sandglass_machines_with_problem',
      help: 'Machines of this node that run and of which a part, such as the screen, cannot be reached.',
      registers: [this.registry],
      collect() {
        this.set(count())
      },
    })
  }

  /** Reports the number of calls, streams and connections that end with the credential that opened them. */
  watchOpenByCredential(count: () => number): void {
    new Gauge({
      name: 'sandglass_open_by_credential',
      help: 'Calls, streams and mapped connections that are open, and end with the credential that opened them.',
      registers: [this.registry],
      collect() {
        this.set(count())
      },
    })
  }

  /** Reports the number of connected viewers. */
  watchViewers(count: () => number): void {
    new Gauge({
      name: 'sandglass_live_viewers',
      help: 'Viewers that are connected to the live view.',
      registers: [this.registry],
      collect() {
        this.set(count())
      },
    })
  }

  /** Reports the number of machines that are left alone because the database does not know them. */
  watchUnclaimed(count: () => number): void {
    new Gauge({
      name: 'sandglass_unclaimed_machines',
      help: 'Machines of this node that its database does not know and that are left alone.',
      registers: [this.registry],
      collect() {
        this.set(count())
      },
    })
  }

  /** Measures every request of an app. */
  observe(app: FastifyInstance): void {
    app.answers.onAnswer(({ route }, { statusCode }, ms) =>
      this.#requests.observe(route?.operation?.id ?? 'other', statusCode, ms / 1000),
    )
  }
}
