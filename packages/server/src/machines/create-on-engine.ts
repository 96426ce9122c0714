import {
  type CreateOptions,
  type Engine,
  MachineError,
  type MachineHandle,
  type MachineSpec,
  type SnapshotHandle,
} from '@sandglass/machines/contract'
import type { Database } from '../db/database.ts'
import type { MachineRow } from '../records/machines.ts'
import { selectDisk } from '../records/saved-disks.ts'

/** Lets the engine create a machine with the saved disk of its row, if it has one, which is read unless the caller has it. */
export async function createOnEngine(
  db: Database,
  engine: Engine,
  { disk_id: diskId }: MachineRow,
  spec: MachineSpec,
  disk: SnapshotHandle | undefined,
  options: CreateOptions,
): Promise<MachineHandle> {
  if (diskId === null) return engine.create(spec, options)
  const saved = disk ?? (await selectDisk(db, diskId))?.handle
  if (!saved || !engine.snapshots) throw new MachineError('NOT_FOUND', 'The saved disk is gone.')
  return engine.snapshots.create(saved, spec, options)
}
