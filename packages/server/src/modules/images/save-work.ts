import { MachineError, type TakenSnapshot } from '@sandglass/machines/contract'
import type { Tx } from '../../db/database.ts'
import { transact } from '../../db/transact.ts'
import type { WorkMachine } from '../../machines/work-machines.ts'
import { failDisk, markDiskReady } from '../../records/saved-disks.ts'
import type { SandboxParts } from '../sandboxes/parts.ts'

export interface Saving {
  /** Runs first in the transaction that makes the disk ready, for locks that must be taken before that of the disk. */
  readonly lock: (tx: Tx) => Promise<void>
  /** Records in the same transaction what the disk is for, because a disk that nobody refers to would stay forever. */
  readonly record: (tx: Tx, diskId: string) => Promise<void>
}

/** Saves the disk of a machine that works for an organization. If it fails, nothing of the disk is left. */
export async function saveWork(
  { db, disks }: Pick<SandboxParts, 'db' | 'disks'>,
  { row }: Pick<WorkMachine, 'row'>,
  { lock, record }: Saving,
): Promise<TakenSnapshot> {
  using held = disks.hold()
  const disk = await transact(db, tx => disks.insert(tx, held, row))
  try {
    const taken = await disks.take(row, disk)
    await transact(db, async tx => {
      await lock(tx)
      if (!(await markDiskReady(tx, disk.id, taken))) throw new MachineError('STATE', 'The disk was removed.')
      await record(tx, disk.id)
    })
    return taken
  } catch (error) {
    // If this fails too, a sweep finds the disk, because nobody holds it any more.
    await transact(db, tx => failDisk(tx, disk.id, '')).catch(() => {})
    throw error
  } finally {
    disks.removeDoomedSoon()
  }
}
