import type { SnapshotHandle } from '@sandglass/machines/contract'
import type { Database } from '../db/database.ts'
import type { MachineRow } from './machines.ts'

/** A saved disk with which a sandbox can be started again. */
export interface SavedStart {
  /** What it is, as it is called in a sentence. */
  readonly name: string
  readonly disk: { readonly id: string; readonly handle: SnapshotHandle }
}

/** Returns the disks with which a sandbox can be started again: its snapshots, the newest first, and then that of its image. */
export async function selectSavedStarts(
  db: Database,
  sandboxId: string,
  machine: Pick<MachineRow, 'engine' | 'disk_id' | 'image_id'>,
): Promise<SavedStart[]> {
  const snapshots = await db
    .selectFrom('sandbox_snapshots as snapshot')
    .innerJoin('saved_disks as disk', 'disk.id', 'snapshot.disk_id')
    .select(['disk.id', 'disk.handle', 'snapshot.name', 'snapshot.created_at'])
    .where('snapshot.sandbox_id', '=', sandboxId)
    .where('disk.state', '=', 'ready')
    .where('disk.engine', '=', machine.engine)
    .orderBy('snapshot.created_at', 'desc')
    .execute()
  const images = await db
    .selectFrom('machine_images as image')
    .innerJoin('saved_disks as disk', 'disk.id', 'image.disk_id')
    .select(['disk.id', 'disk.handle', 'image.name'])
    .where('disk.state', '=', 'ready')
    .where('disk.engine', '=', machine.engine)
    .where(({ or, eb }) =>
      or([eb('image.disk_id', '=', machine.disk_id), eb('image.id', '=', machine.image_id)]),
    )
    .execute()
  const named = [
    ...snapshots.map(({ created_at: at, ...row }) => ({
      ...row,
      name: `its snapshot ${row.name || 'without a name'} of ${at.toISOString()}`,
    })),
    ...images.map(row => ({ ...row, name: `its image ${row.name}` })),
  ]
  return named.flatMap(({ id, handle, name }) => (handle ? [{ name, disk: { id, handle } }] : []))
}
