import type { WebhookAttempt, WebhookDelivery } from '@sandglass/protocol'
import { BatchedWrites } from '../../../db/batched-writes.ts'
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

/** Records outcomes. */
export class OutcomeWriter {
  readonly #writes: BatchedWrites<Outcome>

  constructor(prepared: Prepared) {
    this.#writes = new BatchedWrites(async outcomes => {
      await prepared(
        'record-webhook-outcomes',
        record,
        outcomes.map(({ webhookId }) => webhookId),
        outcomes.map(({ deliveryId }) => deliveryId),
        outcomes.map(({ status }) => status),
        outcomes.map(({ delayMs }) => delayMs),
        outcomes.map(({ attempt }) => JSON.stringify(attempt)),
      )
    })
  }

  /** Settles when the outcome is committed. */
  record(outcome: Outcome): Promise<void> {
    return this.#writes.add(outcome)
  }
}
