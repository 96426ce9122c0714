import type { Prepared } from '../../../db/database.ts'
import { type EventPosition, knownPosition } from '../../../events/position.ts'
import type { Message } from './message.ts'

/** A webhook as the process that has its lease uses it. */
export interface LeasedWebhook extends EventPosition {
  readonly id: string
  readonly org_id: string
  readonly url: string
  readonly types: string[] | null
  readonly sealed_secrets: string
  readonly previous_until: Date | null
  readonly failing_since: Date | null
  readonly not_before: Date | null
}

/** A message that is to be sent. */
export interface DueDelivery {
  /** The id of the delivery. */
  readonly id: string
  readonly message_id: string
  readonly subject: string
  readonly body: string
  /** How often it was sent since it was created or redelivered. */
  readonly tries: number
}

const leasedColumns =
  'id, org_id, url, types, sealed_secrets, previous_until, position, number, failing_since, not_before'

/** Leases the webhooks that have something to send, and extends the leases of this node. */
const claim = `UPDATE webhooks SET leased_by = $1, leased_until = now() + make_interval(secs => $2)
  WHERE id IN (
    SELECT hook.id FROM webhooks AS hook
    WHERE enabled AND (leased_by = $1 OR leased_until < now()) AND (not_before IS NULL OR not_before <= now())
      AND ($3::text[] IS NULL OR org_id = ANY ($3))
      AND (EXISTS (SELECT FROM events WHERE events.org_id = hook.org_id
            AND (events.position, events.number) > (hook.position, hook.number)
            AND events.position < event_horizon())
        OR EXISTS (SELECT FROM webhook_deliveries AS delivery
            WHERE delivery.webhook_id = hook.id AND delivery.status = 'pending' AND delivery.due_at <= now()))
    ORDER BY leased_by = $1 DESC NULLS LAST, leased_until LIMIT $4
    FOR UPDATE SKIP LOCKED)
  RETURNING ${leasedColumns}`

const refresh = `SELECT ${leasedColumns} FROM webhooks WHERE id = $1 AND leased_by = $2 AND enabled`

/** Deliveries that this process already has in memory are left out. */
const due = `SELECT id, message_id, subject, body, tries FROM webhook_deliveries
  WHERE webhook_id = $1 AND status = 'pending' AND due_at <= now() AND id <> ALL ($2::bigint[])
  ORDER BY due_at, id LIMIT $3`

/** The position is moved only by the process that has the lease, and only from where that process believes it to be. */
const moved = `UPDATE webhooks SET position = $3, number = $4
  WHERE id = $1 AND leased_by = $2 AND position = $5 AND number = $6 AND enabled RETURNING id`

const fanOut = `WITH hook AS (${moved})
  INSERT INTO webhook_deliveries (webhook_id, message_id, type, subject, body)
  SELECT hook.id, message.id, message.type, message.subject, message.body
  FROM hook, unnest($7::text[], $8::text[], $9::text[], $10::text[])
    WITH ORDINALITY AS message (id, type, subject, body, number)
  ORDER BY message.number
  RETURNING id, message_id, subject, body, tries`

const release = `UPDATE webhooks SET leased_until = '-infinity' WHERE leased_by = $1`

/** The queries of the process that sends messages. */
export class WorkStore {
  readonly #prepared: Prepared
  readonly #nodeId: string

  constructor(prepared: Prepared, nodeId: string) {
    this.#prepared = prepared
    this.#nodeId = nodeId
  }

  /** Leases webhooks with work of some organizations, or of all if `orgIds` is null. */
  claim(orgIds: readonly string[] | null, leaseSeconds: number, max: number): Promise<LeasedWebhook[]> {
    return this.#prepared('claim-webhooks', claim, this.#nodeId, leaseSeconds, orgIds, max)
  }

  /** Returns undefined if this node does not have the lease any more, or the webhook was disabled. */
  async refresh(id: string): Promise<LeasedWebhook | undefined> {
    const [webhook] = await this.#prepared<LeasedWebhook>('refresh-webhook', refresh, id, this.#nodeId)
    return webhook
  }

  due(webhookId: string, known: readonly string[], max: number): Promise<DueDelivery[]> {
    return this.#prepared('due-webhook-deliveries', due, webhookId, known, max)
  }

  /**
   * Adds the deliveries of messages and moves the position of the webhook, both or neither. Returns undefined if this node does
   * not have the lease any more.
   *
   * @param fromId the id after which the messages begin
   * @param toId the id of the last event that they cover
   */
  async fanOut(
    webhookId: string,
    fromId: string,
    toId: string,
    messages: readonly Message[],
  ): Promise<DueDelivery[] | undefined> {
    const [from, to] = [knownPosition(fromId), knownPosition(toId)]
    const move = [webhookId, this.#nodeId, to.position, to.number, from.position, from.number]
    if (messages.length === 0) {
      const rows = await this.#prepared('move-webhook', moved, ...move)
      return rows.length === 1 ? [] : undefined
    }
    const columns = (['id', 'type', 'subject', 'body'] as const).map(name => messages.map(one => one[name]))
    const rows = await this.#prepared<DueDelivery>('fan-out-webhook', fanOut, ...move, ...columns)
    return rows.length === messages.length ? rows : undefined
  }

  /** Lets other nodes continue at once. */
  async release(): Promise<void> {
    await this.#prepared('release-webhooks', release, this.#nodeId)
  }

  /** Returns the organizations that have webhooks. */
  async subscribers(): Promise<string[]> {
    const rows = await this.#prepared<{ org_id: string }>(
      'webhook-subscribers',
      'SELECT DISTINCT org_id FROM webhooks WHERE enabled',
    )
    return rows.map(({ org_id }) => org_id)
  }
}
