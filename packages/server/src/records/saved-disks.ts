import type { TakenSnapshot } from '@sandglass/machines/contract'
import type { Selectable } from 'kysely'
import type { StoredSpec } from '../auth/environment-seal.ts'
import type { Database, Tx } from '../db/database.ts'
import type { SavedDiskTable } from '../db/schema.ts'
import { appendImageEvents, appendSnapshotEvents } from './disk-events.ts'

export type SavedDiskRow = Selectable<SavedDiskTable>

export interface NewDisk {
  readonly id: string
  readonly nodeId: string
  readonly engine: string
  readonly shapeName: string
  /** The spec of the machine that is saved, without its environment. */
  readonly spec: StoredSpec
  readonly memory: boolean
}

export async function insertDisk(db: Database | Tx, disk: NewDisk): Promise<SavedDiskRow> {
  return db
    .insertInto('saved_disks')
    .values({
      id: disk.id,
      node_id: disk.nodeId,
      engine: disk.engine,
      shape_name: disk.shapeName,
      spec: JSON.stringify(disk.spec),
      memory: disk.memory,
      state: 'taking',
    })
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Records that a disk was saved for its image or snapshot, which is READY then. Returns false if that was deleted meanwhile. */
export async function markDiskReady(tx: Tx, id: string, taken: TakenSnapshot): Promise<boolean> {
  await lockOwners(tx, [id])
  if (!(await setTaken(tx, id, taken, 'ready'))) return false
  const images = await tx
    .updateTable('machine_images')
    .set({ status: 'READY' })
    .where('disk_id', '=', id)
    .returning(['id', 'org_id'])
    .execute()
  const snapshots = await tx
    .updateTable('sandbox_snapshots')
    .set({ status: 'READY' })
    .where('disk_id', '=', id)
    .returning(['id', 'org_id', 'sandbox_id'])
    .execute()
  await appendImageEvents(tx, 'image.ready', images)
  await appendSnapshotEvents(tx, 'snapshot.ready', snapshots)
  return true
}

/** Records that a disk was saved for machines whose rows name it, and is to be removed once they have been created. */
export async function markDiskSpent(tx: Tx, id: string, taken: TakenSnapshot): Promise<boolean> {
  return setTaken(tx, id, taken, 'doomed')
}

async function setTaken(
  tx: Tx,
  id: string,
  { handle, sizeMiB }: TakenSnapshot,
  state: 'ready' | 'doomed',
): Promise<boolean> {
  const row = await tx
    .updateTable('saved_disks')
    .set({ handle: JSON.stringify(handle), size_mib: sizeMiB, state })
    .where('id', '=', id)
    .where('state', '=', 'taking')
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** Dooms a disk that could not be saved. Its image or snapshot is in ERROR with the reason. */
export async function failDisk(tx: Tx, id: string, reason: string): Promise<void> {
  await failDisks(tx, [id], reason)
}

/** Does the same for every disk that a node was saving, except for those that it still saves. */
export async function failInterruptedDisks(
  tx: Tx,
  nodeId: string,
  reason: string,
  isSaving: (id: string) => boolean = () => false,
): Promise<void> {
  const rows = await tx
    .selectFrom('saved_disks')
    .select('id')
    .where('node_id', '=', nodeId)
    .where('state', '=', 'taking')
    .execute()
  const interrupted = rows.map(({ id }) => id).filter(id => !isSaving(id))
  if (interrupted.length > 0) await failDisks(tx, interrupted, reason)
}

async function failDisks(tx: Tx, ids: readonly string[], reason: string): Promise<void> {
  await lockOwners(tx, ids)
  const failed = await tx
    .updateTable('saved_disks')
    .set({ state: 'doomed' })
    .where('id', 'in', ids)
    .where('state', '=', 'taking')
    .returning('id')
    .execute()
  if (failed.length > 0)
    await failOwners(
      tx,
      failed.map(({ id }) => id),
      reason,
    )
}

/**
 * Locks the images and snapshots of disks. Do it before the disks are changed: deleting an image or a snapshot locks them in this
 * order, and two transactions with different orders would block each other.
 */
async function lockOwners(tx: Tx, diskIds: readonly string[]): Promise<void> {
  for (const table of ['machine_images', 'sandbox_snapshots'] as const)
    await tx
      .selectFrom(table)
      .select('id')
      .where('disk_id', 'in', diskIds)
      .orderBy('id')
      .forUpdate()
      .execute()
}

/** Sets the images and snapshots of these disks to ERROR. */
async function failOwners(tx: Tx, diskIds: readonly string[], reason: string): Promise<void> {
  const failed = { status: 'ERROR', reason } as const
  const images = await tx
    .updateTable('machine_images')
    .set(failed)
    .where('disk_id', 'in', diskIds)
    .returning(['id', 'org_id'])
    .execute()
  const snapshots = await tx
    .updateTable('sandbox_snapshots')
    .set(failed)
    .where('disk_id', 'in', diskIds)
    .returning(['id', 'org_id', 'sandbox_id'])
    .execute()
  await appendImageEvents(tx, 'image.failed', images, reason)
  await appendSnapshotEvents(tx, 'snapshot.failed', snapshots, reason)
}

/** Deletes the rows of all disks of a node that is removed. Their images and snapshots are in ERROR then. */
export async function forgetDisksOfNode(tx: Tx, nodeId: string, reason: string): Promise<void> {
  const rows = await tx.selectFrom('saved_disks').select('id').where('node_id', '=', nodeId).execute()
  if (rows.length === 0) return
  await failOwners(
    tx,
    rows.map(({ id }) => id),
    reason,
  )
  await tx.deleteFrom('saved_disks').where('node_id', '=', nodeId).execute()
}

export async function forgetDisk(db: Database, id: string): Promise<void> {
  await db.deleteFrom('saved_disks').where('id', '=', id).execute()
}

export async function selectDisk(db: Database | Tx, id: string): Promise<SavedDiskRow | undefined> {
  return db.selectFrom('saved_disks').selectAll().where('id', '=', id).executeTakeFirst()
}

/** Returns a disk from which machines can be created, and keeps it from being doomed until the transaction ends. */
export async function lockReadyDisk(tx: Tx, id: string): Promise<SavedDiskRow | undefined> {
  return tx
    .selectFrom('saved_disks')
    .selectAll()
    .where('id', '=', id)
    .where('state', '=', 'ready')
    .forShare()
    .executeTakeFirst()
}

/** Returns the ids of all saved disks of a node that an engine has. */
export async function diskIdsOf(db: Database, nodeId: string, engine: string): Promise<Set<string>> {
  const rows = await db
    .selectFrom('saved_disks')
    .select('id')
    .where('node_id', '=', nodeId)
    .where('engine', '=', engine)
    .execute()
  return new Set(rows.map(({ id }) => id))
}

export async function doomedDisks(db: Database, nodeId: string): Promise<SavedDiskRow[]> {
  return db
    .selectFrom('saved_disks')
    .selectAll()
    .where('node_id', '=', nodeId)
    .where('state', '=', 'doomed')
    .orderBy('created_at')
    .execute()
}

/** Returns the disks of a node that a machine which is still being created starts with. */
export async function disksInUse(db: Database, nodeId: string): Promise<Set<string>> {
  const rows = await db
    .selectFrom('machines')
    .select('disk_id')
    .where('node_id', '=', nodeId)
    .where('disk_id', 'is not', null)
    .where('handle', 'is', null)
    .execute()
  return new Set(rows.flatMap(({ disk_id: id }) => id ?? []))
}
