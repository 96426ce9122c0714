import type { VolumeHandle } from '@sandglass/machines/contract'
import type { Selectable } from 'kysely'
import type { Database, Tx } from '../db/database.ts'
import type { VolumeTable } from '../db/schema.ts'
import { appendEvent } from '../events/append.ts'

export type VolumeRow = Selectable<VolumeTable>

export interface NewVolume {
  readonly id: string
  readonly orgId: string
  readonly name: string
  readonly sizeMiB: number
  readonly nodeId: string
  readonly engine: string
  readonly createdBy: string
}

/** Returns undefined if the organization has a volume with this name. */
export async function insertVolume(tx: Tx, volume: NewVolume): Promise<VolumeRow | undefined> {
  const row = await tx
    .insertInto('volumes')
    .values({
      id: volume.id,
      org_id: volume.orgId,
      name: volume.name,
      size_mib: volume.sizeMiB,
      node_id: volume.nodeId,
      engine: volume.engine,
      state: 'creating',
      created_by: volume.createdBy,
    })
    .onConflict(conflict => conflict.doNothing())
    .returningAll()
    .executeTakeFirst()
  if (row)
    await appendEvent(tx, {
      orgId: row.org_id,
      type: 'volume.created',
      subject: row.id,
      data: { name: row.name, sizeMiB: row.size_mib },
    })
  return row
}

/** Records that the engine has created a volume, or has it again. Has no effect on a volume that was deleted meanwhile. */
export async function markVolumeReady(db: Database, id: string, handle: VolumeHandle): Promise<void> {
  await db
    .updateTable('volumes')
    .set({ state: 'ready', handle: JSON.stringify(handle), reason: null })
    .where('id', '=', id)
    .where('state', 'in', ['creating', 'missing'])
    .execute()
}

export async function markVolumeMissing(db: Database, id: string, reason: string): Promise<void> {
  await db
    .updateTable('volumes')
    .set({ state: 'missing', reason })
    .where('id', '=', id)
    .where('state', '=', 'ready')
    .execute()
}

export async function setVolumeUse(db: Database, id: string, usedMiB: number): Promise<void> {
  await db.updateTable('volumes').set({ used_mib: usedMiB }).where('id', '=', id).execute()
}

/** Dooms a volume. Its node deletes it when no machine has it any more, and then the row. Without a node, only the row is deleted. */
export async function doomVolume(tx: Tx, id: string, reason?: string): Promise<void> {
  const row = await tx
    .updateTable('volumes')
    .set({ state: 'doomed' })
    .where('id', '=', id)
    .where('state', '!=', 'doomed')
    .returning('org_id')
    .executeTakeFirst()
  if (row) await appendEvent(tx, { orgId: row.org_id, type: 'volume.deleted', subject: id, data: {}, reason })
}

export async function forgetVolume(db: Database, id: string): Promise<void> {
  await db.deleteFrom('volumes').where('id', '=', id).execute()
}

export async function volumesOfNode(db: Database, nodeId: string, engine: string): Promise<VolumeRow[]> {
  return db
    .selectFrom('volumes')
    .selectAll()
    .where('node_id', '=', nodeId)
    .where('engine', '=', engine)
    .execute()
}

/** Returns the volumes of a node that are to be deleted, and that no machine has any more. */
export async function doomedVolumes(db: Database, nodeId: string): Promise<VolumeRow[]> {
  return db
    .selectFrom('volumes')
    .selectAll()
    .where('node_id', '=', nodeId)
    .where('state', '=', 'doomed')
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('volume_mounts')
            .select('machine_id')
            .whereRef('volume_mounts.volume_id', '=', 'volumes.id'),
        ),
      ),
    )
    .execute()
}

/** Records that a node is removed: its volumes are missing, or are gone if they were to be deleted. */
export async function forgetVolumesOfNode(tx: Tx, nodeId: string, reason: string): Promise<void> {
  await tx.deleteFrom('volumes').where('node_id', '=', nodeId).where('state', '=', 'doomed').execute()
  await tx
    .updateTable('volumes')
    .set({ state: 'missing', node_id: null, reason })
    .where('node_id', '=', nodeId)
    .execute()
}
