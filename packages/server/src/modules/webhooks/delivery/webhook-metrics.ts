import { sql } from 'kysely'
import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import type { Database } from '../../../db/database.ts'
import { sharedRead } from '../../../ops/shared-read.ts'
import type { Outcome } from './outcome-writer.ts'

/** The maximum number of waiting messages that are counted, so that a million of them do not make every scrape slow. */
const maxCounted = 100_000

interface Waiting {
  readonly count: string
  readonly late: number | null
}

/** The metrics of webhooks. */
export class WebhookMetrics {
  readonly #attempts: Counter<'outcome'>
  readonly #seconds: Histogram

  constructor(registry: Registry, db: Database) {
    const registers = [registry]
    this.#attempts = new Counter({
      name: 'sandglass_webhook_attempts_total',
      help: 'Attempts to deliver messages to webhooks, by outcome: delivered, pending (it is tried again), or failed (given up).',
      labelNames: ['outcome'],
      registers,
    })
    this.#seconds = new Histogram({
      name: 'sandglass_webhook_attempt_seconds',
      help: 'How long endpoints of webhooks took to answer, or until an attempt was given up.',
      buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30],
      registers,
    })
    const waiting = sharedRead(async () => {
      const { rows } = await sql<Waiting>`
        SELECT count(*), extract(epoch FROM now() - min(due_at) FILTER (WHERE not_before IS NULL OR not_before <= now()))::float8 AS late
        FROM (SELECT due_at, not_before FROM webhook_deliveries AS delivery
          JOIN webhooks AS webhook ON webhook.id = delivery.webhook_id
          WHERE delivery.status = 'pending' AND webhook.enabled LIMIT ${maxCounted}) AS waiting`.execute(db)
      return rows[0]
    })
    const gauge = (name: string, help: string, read: (row: Waiting) => number) =>
      new Gauge({
        name,
        help,
        registers,
        async collect() {
          const row = await waiting().catch(() => undefined)
          if (row) this.set(read(row))
          else this.remove()
        },
      })
    gauge(
      'sandglass_webhook_deliveries_waiting',
      'Messages that are to be delivered to webhooks, up to 100000, those that are to be tried again included. All processes report the same.',
      ({ count }) => Number(count),
    )
    gauge(
      'sandglass_webhook_late_seconds',
      'For how long the message that should have been sent first is due; 0 if none is. All processes report the same.',
      ({ late }) => Math.max(0, late ?? 0),
    )
  }

  attempted({ status, attempt }: Pick<Outcome, 'status' | 'attempt'>): void {
    this.#attempts.inc({ outcome: status })
    this.#seconds.observe(attempt.durationMs / 1000)
  }
}
