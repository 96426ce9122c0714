import type { Selectable } from 'kysely'
import type { Tx } from '../../db/database.ts'
import type { OperatorKeyTable } from '../../db/schema.ts'

export function lockOperatorKey(tx: Tx, id: string): Promise<Selectable<OperatorKeyTable> | undefined> {
  return tx
    .selectFrom('operator_keys')
    .selectAll()
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .forUpdate()
    .executeTakeFirst()
}
