import type { WebhookAttempt, WebhookDelivery } from '@sandglass/protocol'
import type { Prepared } from '../../../db/database.ts'

/** What became of an attempt. */
export interface Outcome {
  readonly webhookId: string
  readonly deliveryId: string
  readonly status: WebhookDelivery['status']
  /** The delay of the next attempt, if it is pending. */
  readonly delayMs: number
  readonly attempt: WebhookAttempt
}

/** Limits the size of one statement. */
const maxBatch = 500
const maxResponses = 20

const record = `UPDATE webhook_deliveries AS delivery SET
    status = outcome.status,
    due_at = now() + outcome.delay_ms * interval '1 millisecond',
    tries = tries + 1,
    attempts = attempts + 1,
    responses = CASE WHEN jsonb_array_length(responses) < ${maxResponses} THEN responses ELSE responses - 0 END
      || outcome.response
  FROM unnest($1::text[], $2::bigint[], $3::text[], $4::float8[], $5::jsonb[])
    AS outcome (webhook_id, id, status, delay_ms, response)
  WHERE delivery.webhook_id = outcome.webhook_id AND delivery.id = outcome.id`

interface Entry {
  readonly outcome: Outcome
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

/** Records outcomes. Those that arrive during a write are batched into the next one, because a commit costs the same for one. */
export class OutcomeWriter {
  readonly #prepared: Prepared
  readonly #waiting: Entry[] = []
  #isWriting = false

  constructor(prepared: Prepared) {
    this.#prepared = prepared
  }

  /** Settles when the outcome is committed. */
  record(outcome: Outcome): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.#waiting.push({ outcome, resolve, reject })
    if (!this.#isWriting) void this.#writeAll()
    return promise
  }

  async #writeAll(): Promise<void> {
    this.#isWriting = true
    while (this.#waiting.length > 0) await this.#write(this.#waiting.splice(0, maxBatch))
    this.#isWriting = false
  }

  async #write(entries: readonly Entry[]): Promise<void> {
    const outcomes = entries.map(({ outcome }) => outcome)
    try {
      await this.#prepared(
        'record-webhook-outcomes',
        record,
        outcomes.map(({ webhookId }) => webhookId),
        outcomes.map(({ deliveryId }) => deliveryId),
        outcomes.map(({ status }) => status),
        outcomes.map(({ delayMs }) => delayMs),
        outcomes.map(({ attempt }) => JSON.stringify(attempt)),
      )
      for (const { resolve } of entries) resolve()
    } catch (error) {
      for (const { reject } of entries) reject(error)
    }
  }
}
