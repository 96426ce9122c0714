import { rename } from 'node:fs/promises'
import { machinePaths } from '../../local/machine-paths.ts'
import { writeRecord } from '../../local/records.ts'
import { readSaved, savedDiskPath } from '../../local/storage/saved-records.ts'
import { endVm } from '../machine/remove-vm.ts'
import { type Origin, startVm, type VmGround } from '../machine/start-vm.ts'
import { forgetSuspended } from '../machine/suspended.ts'
import type { VmRecord } from '../records.ts'
import { savedFirmware, takeFirmware } from './firmware-files.ts'
import { type SavedVm, savedMemoryPath } from './saved-vm.ts'
import { cloneDisk } from './vm-disk.ts'
import { requireSame } from './vm-snapshots.ts'

/** What a machine starts from that continues as it was saved. */
export const originOf = (settings: VmGround['settings'], { id, memory }: SavedVm): Origin =>
  memory ? { kind: 'saved', state: savedMemoryPath(settings, id) } : { kind: 'boot' }

/** Switches a machine off, and starts it again as it was saved. If it is interrupted, the next start does the same. */
export async function restoreVm(
  ground: VmGround,
  record: VmRecord,
  saved: SavedVm,
  signal?: AbortSignal,
): Promise<void> {
  const { settings } = ground
  requireSame(saved, record.spec)
  await endVm(ground, record.spec.id)
  await forgetSuspended(settings, record.spec.id)
  const restoring = { ...record, restoring: saved.id }
  await writeRecord<VmRecord>(settings, restoring)
  await finishRestore(ground, restoring, signal)
}

/** Completes what a service that ended had begun. If the snapshot is gone, the machine keeps the disk that it has. */
export async function finishRestore(
  ground: VmGround,
  { restoring, ...record }: VmRecord,
  signal?: AbortSignal,
): Promise<void> {
  const { settings } = ground
  const saved = restoring === undefined ? undefined : await readSaved<SavedVm>(settings, restoring)
  const paths = machinePaths(settings, record.spec.id)
  const { disk } = paths
  if (saved?.complete) {
    try {
      await cloneDisk(settings, savedDiskPath(settings, saved.id), `${disk}.part`, saved.diskMiB)
    } catch (error) {
      // It keeps the old disk, also when it is restarted later.
      await writeRecord<VmRecord>(settings, record)
      throw error
    }
    await rename(`${disk}.part`, disk)
    await takeFirmware(savedFirmware(savedDiskPath(settings, saved.id)), paths)
  }
  const restored = saved?.complete
    ? { ...record, image: saved.source.folder, guest: saved.source.guest, ...saved.memory }
    : record
  await writeRecord<VmRecord>(settings, recordOf(restored))
  try {
    await startVm(
      ground,
      recordOf(restored),
      saved ? originOf(settings, saved) : { kind: 'boot' },
      false,
      signal,
    )
  } catch (error) {
    await endVm(ground, record.spec.id)
    throw error
  }
}

/** Only the devices of the saved machine become those of this one. */
function recordOf(record: VmRecord & Partial<NonNullable<SavedVm['memory']>>): VmRecord {
  const { processors: _, memoryMiB: __, ...rest } = record
  return rest
}
