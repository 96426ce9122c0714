import { existsSync } from 'node:fs'
import { cp, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { runCommand } from '../../local/host/run-command.ts'
import type { MachinePaths } from '../../local/machine-paths.ts'
import type { UidRange } from '../../local/oci/uid-ranges.ts'
import type { SeenFile } from '../machine/oci-config.ts'
import { seenAt } from '../machine/seen-at.ts'

/** What firmware keeps of a machine: its variables, and the state of its TPM. Images have them under these names. */
const parts = [
  { name: 'vars.fd', seenAt: seenAt.variables },
  { name: 'tpm', seenAt: seenAt.tpm },
] as const

const folderOf = ({ home }: Pick<MachinePaths, 'home'>) => join(home, 'firmware')

/** Where a saved machine has what its firmware keeps, beside its disk. */
export const savedFirmware = (savedDisk: string): string => `${savedDisk}.firmware`

async function copyParts(from: string, to: string): Promise<void> {
  const found = parts.filter(({ name }) => existsSync(join(from, name)))
  if (found.length === 0) return
  await rm(to, { recursive: true, force: true })
  await mkdir(to, { recursive: true, mode: 0o700 })
  for (const { name } of found) await cp(join(from, name), join(to, name), { recursive: true })
}

/** Gives a machine what the firmware of its image, or of the machine that was saved, keeps. */
export const takeFirmware = (from: string, paths: Pick<MachinePaths, 'home'>): Promise<void> =>
  copyParts(from, folderOf(paths))

export const saveFirmware = (paths: Pick<MachinePaths, 'home'>, savedDisk: string): Promise<void> =>
  copyParts(folderOf(paths), savedFirmware(savedDisk))

/** The files that QEMU and the TPM of a machine write to, which belong to their user. */
export async function firmwareFiles(
  paths: Pick<MachinePaths, 'home'>,
  { base }: Pick<UidRange, 'base'>,
): Promise<SeenFile[]> {
  const folder = folderOf(paths)
  const found = parts.filter(({ name }) => existsSync(join(folder, name)))
  if (found.length > 0) await runCommand('chown', ['--recursive', `${base}:${base}`, folder])
  return found.map(({ name, seenAt }) => ({ source: join(folder, name), seenAt, access: 'rw' }))
}
