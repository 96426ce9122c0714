import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type DebianPackage, installMissing } from '../../../local/host/debian-packages.ts'
import { runCommand } from '../../../local/host/run-command.ts'
import { windowsPackages } from '../../host/packages.ts'
import { requiredFiles } from './drivers.ts'

const testPackages: readonly DebianPackage[] = [
  ...windowsPackages,
  { name: 'dosfstools', file: '/usr/sbin/mkfs.vfat', why: 'formats the stand-in for Windows' },
  { name: 'mtools', file: '/usr/bin/mcopy', why: 'writes the stand-in for Windows' },
  { name: 'libxml2-utils', file: '/usr/bin/xmllint', why: 'checks the answer file' },
]

export const installTestPackages = () => installMissing(testPackages)

/** Windows cannot be had in tests. This edition is only a name. */
export const standInEdition = 'Windows 11 Pro'

/** Makes a CD that has the names of the drivers, without their content. */
export async function standInVirtio(folder: string, without?: string): Promise<string> {
  const files = join(folder, 'virtio-files')
  for (const name of requiredFiles(standInEdition).filter(one => one !== without)) {
    const path = join(files, name.replaceAll('\\', '/'))
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, 'a stand-in')
  }
  return makeIso(join(folder, 'virtio.iso'), files)
}

/** Makes a CD from which UEFI starts nothing, but on which its shell finds a script. */
export async function standInWindows(folder: string, script: readonly string[]): Promise<string> {
  const files = join(folder, 'windows-files')
  await mkdir(files, { recursive: true })
  const fat = join(files, 'fat.img')
  await writeFile(fat, Buffer.alloc(1440 * 1024))
  await runCommand('mkfs.vfat', [fat])
  const nsh = join(folder, 'startup.nsh')
  await writeFile(nsh, ['@echo -off', ...script, ''].join('\r\n'))
  await runCommand('mcopy', ['-i', fat, nsh, '::/startup.nsh'])
  return makeIso(join(folder, 'windows.iso'), files, ['-e', 'fat.img', '-no-emul-boot'])
}

async function makeIso(iso: string, files: string, more: readonly string[] = []): Promise<string> {
  await runCommand('xorriso', ['-as', 'mkisofs', '-quiet', '-J', '-R', ...more, '-o', iso, files])
  return iso
}
