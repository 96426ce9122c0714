import { randomUUID } from 'node:crypto'
import type { Selectable } from 'kysely'
import type { Database, Tx } from '../../db/database.ts'
import type { ApplicationOperationTable } from '../../db/schema.ts'

export type OperationRow = Selectable<ApplicationOperationTable>

/** Returns the running or finished installation of an application in a sandbox, or creates one. */
export async function takeOperation(
  tx: Tx,
  key: Pick<OperationRow, 'sandbox_id' | 'node_id' | 'app_id'>,
): Promise<{ row: OperationRow; isNew: boolean }> {
  const inserted = await tx
    .insertInto('application_operations')
    .values({ id: randomUUID(), status: 'PENDING', ...key })
    .onConflict(conflict => conflict.doNothing())
    .returningAll()
    .executeTakeFirst()
  if (inserted) return { row: inserted, isNew: true }
  const row = await tx
    .selectFrom('application_operations')
    .selectAll()
    .where('sandbox_id', '=', key.sandbox_id)
    .where('app_id', '=', key.app_id)
    .where('status', 'in', ['PENDING', 'RUNNING', 'SUCCEEDED'])
    .executeTakeFirst()
  // Retry if the other installation failed between the two statements.
  return row ? { row, isNew: false } : takeOperation(tx, key)
}

export async function selectOperation(
  db: Database,
  sandboxId: string,
  id: string,
): Promise<OperationRow | undefined> {
  return db
    .selectFrom('application_operations')
    .selectAll()
    .where('sandbox_id', '=', sandboxId)
    .where('id', '=', id)
    .executeTakeFirst()
}

/** Returns the last installation of each application in a sandbox, the newest one first. */
export async function selectLatestOperations(db: Database, sandboxId: string): Promise<OperationRow[]> {
  const latest = db
    .selectFrom('application_operations')
    .selectAll()
    .distinctOn('app_id')
    .where('sandbox_id', '=', sandboxId)
    .orderBy('app_id')
    .orderBy('created_at', 'desc')
    .orderBy('id')
  return db
    .selectFrom(latest.as('latest'))
    .selectAll()
    .orderBy('created_at', 'desc')
    .orderBy('app_id')
    .execute()
}

/** Updates an installation, unless it has ended already. */
export async function setOperation(
  db: Database,
  id: string,
  status: OperationRow['status'],
  detail: object,
): Promise<void> {
  await db
    .updateTable('application_operations')
    .set({ status, detail: JSON.stringify(detail) })
    .where('id', '=', id)
    .where('status', 'in', ['PENDING', 'RUNNING'])
    .execute()
}

/** Marks the installations that were running when this node stopped as failed. */
export async function failInterrupted(db: Database | Tx, nodeId: string, reason: string): Promise<void> {
  await db
    .updateTable('application_operations')
    .set({ status: 'FAILED', detail: JSON.stringify({ reason }) })
    .where('node_id', '=', nodeId)
    .where('status', 'in', ['PENDING', 'RUNNING'])
    .execute()
}
