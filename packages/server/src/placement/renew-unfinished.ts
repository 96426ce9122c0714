import { sql } from 'kysely'
import type { AnyStoredSpec, StoredSpec } from '../auth/environment-seal.ts'
import type { Tx } from '../db/database.ts'
import { doomMachine, insertMachine, type MachineRow } from '../records/machines.ts'

/**
 * Gives the sandboxes whose machines a lost node was creating new machines of its heir. The lost node may still run and create its own,
 * so the heir must not create one of the same id: each would take the machine of the other for its own, and remove it. The old machine is
 * doomed, so that whoever has created it destroys it.
 */
export async function renewUnfinished(
  tx: Tx,
  nodeId: string,
  moved: readonly string[],
  renew: (spec: AnyStoredSpec) => StoredSpec,
): Promise<void> {
  for (const old of await selectUnfinished(tx, moved)) {
    const machine = await insertMachine(tx, {
      nodeId,
      engine: old.engine,
      shapeName: old.shape_name,
      spec: renew(old.spec),
      diskId: old.disk_id ?? undefined,
    })
    await tx
      .updateTable('sandboxes')
      .set({ machine_id: machine.id })
      .where('machine_id', '=', old.id)
      .execute()
    await doomMachine(tx, old.id)
  }
}

/** A machine with volumes keeps its id, because they are attached to it. */
async function selectUnfinished(tx: Tx, moved: readonly string[]): Promise<MachineRow[]> {
  if (moved.length === 0) return []
  return tx
    .selectFrom('machines')
    .selectAll()
    .where('id', 'in', moved)
    .where('state', '=', 'starting')
    .where('handle', 'is', null)
    .where(sql<boolean>`spec -> 'volumes' IS NULL`)
    .where('id', 'in', tx.selectFrom('sandboxes').select('machine_id').where('machine_id', 'in', moved))
    .orderBy('id')
    .execute()
}
