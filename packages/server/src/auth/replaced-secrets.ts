import { sql } from 'kysely'
import type { Database, Tx } from '../db/database.ts'
import type { Secret } from './secret.ts'

/** The kinds of keys whose secret can be replaced. */
const kinds = {
  apiKey: { table: 'api_keys', column: 'api_key_id' },
  operator: { table: 'operator_keys', column: 'operator_key_id' },
} as const

export interface Replacement {
  readonly kind: keyof typeof kinds
  readonly id: string
  readonly oldHash: Buffer
  readonly secret: Secret
  readonly graceSeconds: number
}

/**
 * Gives a key, which must be locked, another secret. The old one works for the grace, and none that was replaced before works
 * longer than that. Returns when the old one ends. The database announces all of them to every process.
 */
export async function replaceSecret(tx: Tx, replacement: Replacement): Promise<Date> {
  const { kind, id, oldHash, secret, graceSeconds } = replacement
  const { table, column } = kinds[kind]
  const end = sql<Date>`now() + make_interval(secs => ${graceSeconds})`
  await tx
    .updateTable('replaced_secrets')
    .set({ ends_at: end })
    .where(column, '=', id)
    .where('ends_at', '>', end)
    .execute()
  if (graceSeconds > 0)
    await tx
      .insertInto('replaced_secrets')
      .values({ hash: oldHash, [column]: id, ends_at: end })
      .execute()
  const { ends_at } = await tx
    .updateTable(table)
    .set({ hash: secret.hash, prefix: secret.prefix })
    .where('id', '=', id)
    .returning(end.as('ends_at'))
    .executeTakeFirstOrThrow()
  return ends_at
}

export async function forgetEndedSecrets(db: Database): Promise<void> {
  await db.deleteFrom('replaced_secrets').where('ends_at', '<', sql<Date>`now()`).execute()
}
