import type { VolumeMount } from '@sandglass/machines/contract'
import type { Database, Tx } from '../db/database.ts'

/** Records that a machine has volumes. They must be locked, and free for it. */
export async function insertMounts(
  tx: Tx,
  machineId: string,
  volumes: readonly VolumeMount[],
): Promise<void> {
  if (volumes.length === 0) return
  await tx
    .insertInto('volume_mounts')
    .values(
      volumes.map(({ id, path, readOnly = false }) => ({
        volume_id: id,
        machine_id: machineId,
        path,
        read_only: readOnly,
      })),
    )
    .execute()
}

/** Returns how the sandboxes have a volume. Machines of sandboxes that have ended are left out. */
export async function selectMounts(tx: Tx, volumeId: string): Promise<{ readonly read_only: boolean }[]> {
  return tx
    .selectFrom('volume_mounts as mount')
    .innerJoin('machines as machine', 'machine.id', 'mount.machine_id')
    .select('mount.read_only')
    .where('mount.volume_id', '=', volumeId)
    .where('machine.state', '!=', 'doomed')
    .execute()
}

/**
 * Whether another machine still has a volume of this one in a way that excludes it. That machine is doomed, because otherwise
 * this one would not have got the volume.
 */
export async function isWaitingForVolume(db: Database, machineId: string): Promise<boolean> {
  const row = await db
    .selectFrom('volume_mounts as own')
    .innerJoin('volume_mounts as other', 'other.volume_id', 'own.volume_id')
    .innerJoin('machines as machine', 'machine.id', 'other.machine_id')
    .select('other.machine_id')
    .where('own.machine_id', '=', machineId)
    .where('other.machine_id', '!=', machineId)
    .where('machine.state', '=', 'doomed')
    .where(({ or, eb }) => or([eb('own.read_only', '=', false), eb('other.read_only', '=', false)]))
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}
