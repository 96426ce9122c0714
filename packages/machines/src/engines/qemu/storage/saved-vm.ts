import { rm, stat } from 'node:fs/promises'
import type { MachineOwner } from '../../../contract/spec.ts'
import { removeSaved, savedDiskPath } from '../../local/storage/saved-records.ts'
import type { VmSource } from '../images/find-vm-disk.ts'
import type { Acceleration } from '../machine/command-line.ts'
import type { QemuSettings } from '../options.ts'
import { savedFirmware } from './firmware-files.ts'

const MiB = 1024 * 1024

/** The persistent record of a saved virtual machine. */
export interface SavedVm {
  readonly version: 1
  readonly id: string
  readonly owner?: MachineOwner
  readonly imageName: string
  readonly source: VmSource
  readonly diskMiB: number
  /** What a machine needs to continue with the memory, if that was saved too. */
  readonly memory?: {
    readonly machineType: string
    readonly acceleration: Acceleration
    readonly processors: number
    readonly memoryMiB: number
  }
  /** False until everything was saved. */
  readonly complete: boolean
}

export const savedMemoryPath = (settings: Pick<QemuSettings, 'disksDir'>, id: string): string =>
  `${savedDiskPath(settings, id)}.memory`

export async function removeSavedVm(settings: QemuSettings, id: string): Promise<void> {
  await rm(savedMemoryPath(settings, id), { force: true })
  await rm(savedFirmware(savedDiskPath(settings, id)), { recursive: true, force: true })
  await removeSaved(settings, id)
}

/** What a saved machine takes on the host. */
export async function sizeOfSaved(settings: QemuSettings, id: string): Promise<number> {
  const paths = [savedDiskPath(settings, id), savedMemoryPath(settings, id)]
  const sizes = await Promise.all(
    paths.map(async path => (await stat(path).catch(() => ({ blocks: 0 }))).blocks),
  )
  return Math.ceil((sizes.reduce((sum, blocks) => sum + blocks, 0) * 512) / MiB)
}
