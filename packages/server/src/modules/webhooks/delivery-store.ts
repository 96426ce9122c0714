import type {
  WebhookAttempt,
  WebhookDelivery,
  WebhookDeliveryDetails,
  WebhookDeliveryFilter,
} from '@sandglass/protocol'
import { type Selectable, sql } from 'kysely'
import type { Database, Tx } from '../../db/database.ts'
import type { WebhookDeliveryTable } from '../../db/schema.ts'
import type { Message } from './delivery/message.ts'
import { constantHeaders } from './delivery/send.ts'

/** What a list shows of a delivery: everything but the body, and only the last response. */
const summary = [
  'id',
  'message_id',
  'type',
  'subject',
  'status',
  'due_at',
  'attempts',
  'created_at',
  sql<WebhookAttempt | null>`responses -> -1`.as('last'),
] as const

export type DeliveryRow = Omit<
  Selectable<WebhookDeliveryTable>,
  'webhook_id' | 'body' | 'tries' | 'responses'
> & { readonly last: WebhookAttempt | null }

/** A delivery with its request and its responses. */
export type DeliveryDetailsRow = DeliveryRow & Pick<Selectable<WebhookDeliveryTable>, 'body' | 'responses'>

/** Inserts a message that is no event, and has it sent now. */
export async function insertDelivery(tx: Tx, webhookId: string, message: Message): Promise<DeliveryRow> {
  return tx
    .insertInto('webhook_deliveries')
    .values({
      webhook_id: webhookId,
      message_id: message.id,
      type: message.type,
      subject: message.subject,
      body: message.body,
    })
    .returning(summary)
    .executeTakeFirstOrThrow()
}

/** Returns deliveries, newest first. */
export async function selectDeliveries(
  db: Database,
  webhookId: string,
  { status, limit, cursor }: WebhookDeliveryFilter,
): Promise<DeliveryRow[]> {
  let query = db
    .selectFrom('webhook_deliveries')
    .select(summary)
    .where('webhook_id', '=', webhookId)
    .orderBy('id', 'desc')
    .limit(limit)
  if (status !== undefined) query = query.where('status', '=', status)
  if (cursor !== undefined) query = query.where('id', '<', cursor)
  return query.execute()
}

export async function selectDelivery(
  db: Database,
  webhookId: string,
  id: string,
): Promise<DeliveryDetailsRow | undefined> {
  return db
    .selectFrom('webhook_deliveries')
    .select([...summary, 'body', 'responses'])
    .where('webhook_id', '=', webhookId)
    .where('id', '=', id)
    .executeTakeFirst()
}

/** Has a message sent now, with as many attempts as a new one. Returns undefined if it does not exist. */
export async function sendAgain(tx: Tx, webhookId: string, id: string): Promise<DeliveryRow | undefined> {
  return tx
    .updateTable('webhook_deliveries')
    .set({ status: 'pending', tries: 0, due_at: sql<Date>`now()` })
    .where('webhook_id', '=', webhookId)
    .where('id', '=', id)
    .returning(summary)
    .executeTakeFirst()
}

/** Tells every process that a webhook of the organization has something to send. */
export async function announceWork(tx: Tx, orgId: string): Promise<void> {
  await sql`SELECT pg_notify('webhook_changes', ${orgId})`.execute(tx)
}

export function deliveryOf(row: DeliveryRow): WebhookDelivery {
  return {
    id: row.id,
    messageId: row.message_id,
    type: row.type,
    subject: row.subject,
    status: row.status,
    attempts: row.attempts,
    lastStatus: row.last?.status ?? null,
    lastError: row.last?.error ?? null,
    nextAttemptAt: row.status === 'pending' ? row.due_at.toISOString() : null,
    createdAt: row.created_at.toISOString(),
  }
}

export function deliveryDetailsOf(row: DeliveryDetailsRow): WebhookDeliveryDetails {
  return {
    ...deliveryOf(row),
    request: { headers: { ...constantHeaders, 'webhook-id': row.message_id }, body: row.body },
    responses: row.responses,
  }
}
