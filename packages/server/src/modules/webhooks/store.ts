import type { Webhook } from '@sandglass/protocol'
import { type Selectable, sql, type Updateable } from 'kysely'
import type { Database, Tx } from '../../db/database.ts'
import type { WebhookTable } from '../../db/schema.ts'

export type WebhookRow = Selectable<WebhookTable>

/** The number of a position behind all events of a transaction. */
const afterAll = String(2 ** 48 - 1)

export interface NewWebhook {
  readonly id: string
  readonly orgId: string
  readonly url: string
  readonly description: string
  readonly types: readonly string[] | null
  readonly sealedSecrets: string
}

/**
 * Inserts a webhook at the end of the event log, so that it receives every event of transactions that have not ended yet. While one of
 * them is open, it also receives events that were committed since that one began, because a position cannot leave them out.
 */
export async function insertWebhook(tx: Tx, webhook: NewWebhook): Promise<WebhookRow> {
  return tx
    .insertInto('webhooks')
    .values({
      id: webhook.id,
      org_id: webhook.orgId,
      url: webhook.url,
      description: webhook.description,
      types: webhook.types && [...webhook.types],
      sealed_secrets: webhook.sealedSecrets,
      position: sql<string>`event_horizon() - 1`,
      number: afterAll,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
}

export async function selectWebhooks(db: Database | Tx, orgId: string): Promise<WebhookRow[]> {
  return db
    .selectFrom('webhooks')
    .selectAll()
    .where('org_id', '=', orgId)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

export async function selectWebhook(
  db: Database | Tx,
  orgId: string,
  id: string,
): Promise<WebhookRow | undefined> {
  return oneWebhook(db, orgId, id).executeTakeFirst()
}

export async function lockWebhook(tx: Tx, orgId: string, id: string): Promise<WebhookRow | undefined> {
  return oneWebhook(tx, orgId, id).forUpdate().executeTakeFirst()
}

function oneWebhook(db: Database | Tx, orgId: string, id: string) {
  return db.selectFrom('webhooks').selectAll().where('org_id', '=', orgId).where('id', '=', id)
}

export async function countWebhooks(db: Database | Tx, orgId: string): Promise<number> {
  const { count } = await db
    .selectFrom('webhooks')
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .where('org_id', '=', orgId)
    .executeTakeFirstOrThrow()
  return Number(count)
}

export async function updateWebhookRow(
  tx: Tx,
  id: string,
  changes: Updateable<WebhookTable>,
): Promise<WebhookRow> {
  return tx.updateTable('webhooks').set(changes).where('id', '=', id).returningAll().executeTakeFirstOrThrow()
}

/** Messages are signed with both secrets for a day. */
export async function rotateSecrets(
  tx: Tx,
  id: string,
  sealedSecrets: string,
  hasPrevious: boolean,
): Promise<WebhookRow> {
  return tx
    .updateTable('webhooks')
    .set({
      sealed_secrets: sealedSecrets,
      previous_until: hasPrevious ? sql<Date>`now() + interval '1 day'` : null,
    })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

export async function deleteWebhookRow(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('webhooks').where('id', '=', id).execute()
}

/** Returns a webhook as callers see it. `now` is a time of the database. */
export function webhookOf(row: WebhookRow, now: number): Webhook {
  const { previous_until: until } = row
  return {
    id: row.id,
    url: row.url,
    description: row.description,
    types: row.types,
    enabled: row.enabled,
    disabledReason: row.disabled_reason,
    failingSince: row.failing_since?.toISOString() ?? null,
    previousSecretUntil: until && until.getTime() > now ? until.toISOString() : null,
    createdAt: row.created_at.toISOString(),
  }
}
