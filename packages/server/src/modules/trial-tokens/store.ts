import { randomUUID } from 'node:crypto'
import type { TrialToken } from '@sandglass/protocol'
import { type Selectable, sql } from 'kysely'
import type { Secret } from '../../auth/secret.ts'
import type { Database, Tx } from '../../db/database.ts'
import type { TrialTokenTable } from '../../db/schema.ts'

/** The properties that are chosen when a token is created. */
export interface TrialFields {
  readonly name: string
  readonly expiresInSeconds: number
  readonly sandboxQuota: number
  readonly shapeNames: readonly string[]
}

export async function insertTrialToken(
  tx: Tx,
  orgId: string,
  fields: TrialFields,
  secret: Secret,
): Promise<TrialToken> {
  const row = await tx
    .insertInto('trial_tokens')
    .values({
      id: randomUUID(),
      org_id: orgId,
      name: fields.name,
      prefix: secret.prefix,
      hash: secret.hash,
      expires_at: sql<Date>`now() + make_interval(secs => ${fields.expiresInSeconds})`,
      sandbox_quota: fields.sandboxQuota,
      shape_names: [...fields.shapeNames],
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  return trialTokenOf(row)
}

/** Returns the tokens that are neither revoked nor expired. */
/** Limits the size of the answer of listTrialTokens, which is not paginated. */
export const maxTokens = 1000

export async function selectTrialTokens(db: Database | Tx, orgId: string): Promise<TrialToken[]> {
  const rows = await db
    .selectFrom('trial_tokens')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', sql<Date>`now()`)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
  return rows.map(trialTokenOf)
}

/** Returns false if there is no such token, or it was already revoked. */
export async function revokeTrialTokenRow(tx: Tx, orgId: string, id: string): Promise<boolean> {
  const row = await tx
    .updateTable('trial_tokens')
    .set({ revoked_at: sql<Date>`now()` })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

function trialTokenOf(row: Selectable<TrialTokenTable>): TrialToken {
  return {
    id: row.id,
    name: row.name,
    prefix: row.prefix,
    createdAt: row.created_at.toISOString(),
    expiresAt: row.expires_at.toISOString(),
    sandboxQuota: row.sandbox_quota,
    shapeNames: row.shape_names,
  }
}
