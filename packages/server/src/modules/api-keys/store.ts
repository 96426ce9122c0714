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

/** What can be changed of a key. Fields that are left out stay as they are. */
export interface KeyChanges {
  readonly name?: string | undefined
  readonly role?: Role | undefined
  /** Null means that the key does not expire. */
  readonly expiresInSeconds?: number | null | undefined
}

export type KeyRow = Selectable<ApiKeyTable>

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
      expires_at: seconds === undefined ? null : secondsFromNow(seconds),
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

export function lockKey(tx: Tx, orgId: string, id: string): Promise<KeyRow | undefined> {
  return tx
    .selectFrom('api_keys')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .forUpdate()
    .executeTakeFirst()
}

export async function updateKeyRow(tx: Tx, before: KeyRow, changes: KeyChanges): Promise<ApiKey> {
  const { name = before.name, role = before.role, expiresInSeconds: seconds } = changes
  const row = await tx
    .updateTable('api_keys')
    .set({
      name,
      role,
      ...(seconds !== undefined && { expires_at: seconds === null ? null : secondsFromNow(seconds) }),
    })
    .where('id', '=', before.id)
    .returningAll()
    .executeTakeFirstOrThrow()
  return keyOf(row)
}

export async function revokeKeyRow(tx: Tx, id: string): Promise<void> {
  await tx.updateTable('api_keys').set({ revoked_at: sql<Date>`now()` }).where('id', '=', id).execute()
}

function secondsFromNow(seconds: number) {
  return sql<Date>`now() + make_interval(secs => ${seconds})`
}

export function keyOf(row: Omit<KeyRow, 'hash'>): ApiKey {
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
