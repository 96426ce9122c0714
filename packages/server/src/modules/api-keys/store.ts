import { randomUUID } from 'node:crypto'
import type { ApiKey, Role } from '@sandglass/protocol'
import { type Selectable, sql } from 'kysely'
import type { Secret } from '../../auth/secret.ts'
import type { Database, Tx } from '../../db/database.ts'
import type { ApiKeyTable } from '../../db/schema.ts'

/** The properties that are chosen when a key is created. */
export interface KeyFields {
  readonly name: string
  readonly role: Role
  /** If it is omitted, the key does not expire. */
  readonly expiresInSeconds?: number
}

export async function insertKey(tx: Tx, orgId: string, fields: KeyFields, secret: Secret): Promise<ApiKey> {
  const { expiresInSeconds: seconds } = fields
  const row = await tx
    .insertInto('api_keys')
    .values({
      id: randomUUID(),
      org_id: orgId,
      name: fields.name,
      prefix: secret.prefix,
      hash: secret.hash,
      role: fields.role,
      expires_at: seconds === undefined ? null : sql<Date>`now() + make_interval(secs => ${seconds})`,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  return keyOf(row)
}

export async function selectKeys(db: Database | Tx, orgId: string): Promise<ApiKey[]> {
  const rows = await db
    .selectFrom('api_keys')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('revoked_at', 'is', null)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
  return rows.map(keyOf)
}

export async function lockKey(tx: Tx, orgId: string, id: string): Promise<ApiKey | undefined> {
  const row = await tx
    .selectFrom('api_keys')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .forUpdate()
    .executeTakeFirst()
  return row && keyOf(row)
}

export async function revokeKeyRow(tx: Tx, id: string): Promise<void> {
  await tx.updateTable('api_keys').set({ revoked_at: sql<Date>`now()` }).where('id', '=', id).execute()
}

function keyOf(row: Selectable<ApiKeyTable>): ApiKey {
  return {
    id: row.id,
    name: row.name,
    prefix: row.prefix,
    role: row.role,
    createdAt: row.created_at.toISOString(),
    expiresAt: row.expires_at?.toISOString() ?? null,
    lastUsedAt: row.last_used_at?.toISOString() ?? null,
  }
}
