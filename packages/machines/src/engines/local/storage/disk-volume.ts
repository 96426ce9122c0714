import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
} from 'node:fs'
import { statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { KeyedMutex } from '@sandglass/supervision'
import { MachineError } from '../../../contract/errors.ts'
import { runCommand } from '../host/run-command.ts'
import { diskName, disksOfMachines } from '../machine-paths.ts'
import type { Settings } from '../options.ts'
import { canClone, probeAgain } from './can-clone.ts'

const MiB = 1024 * 1024

type Places = Pick<Settings, 'dataDir' | 'disksDir' | 'machinesDir' | 'volumeFile' | 'volumeMiB'>

/** A file system that is smaller than this gets no volume, because too little would be left beside it. */
const smallestHostMiB = 8192

/** The parts in which XFS manages its space keep their size when the volume grows. */
const partMiB = 1024

/** The volume grows by at least this share of its size, because growing it by little at a time makes many small parts. */
const growth = 0.25

/** What XFS keeps for itself when it grows. */
const overhead = 1.05

/**
 * Opens the folder that has the disks of machines. Disks are cloned by the file system: one that can do so is used as it
 * is. Elsewhere, the folder is an XFS volume in a file that grows with what machines are promised. The space of the file is
 * allocated, so neither the host nor the machines can take it from each other. Where there can be no volume, disks are
 * copied.
 *
 * It happens before anything else, and waits, because nothing can be known about machines before.
 */
export function openDisks(settings: Places): void {
  const { disksDir, volumeFile } = settings
  const isNew = !existsSync(disksDir)
  mkdirSync(disksDir, { recursive: true, mode: 0o700 })
  if (isVolume(settings)) return
  if (existsSync(volumeFile)) mountExisting(settings)
  else if (isNew && wantsVolume(settings)) createVolume(settings)
  adoptOldDisks(settings)
}

/** How the disks of machines are, or will be when the first engine opens: cloned, if need be on a volume, or copied. */
export function kindOfDisks(settings: Places): 'cloned' | 'volume' | 'copied' {
  const { dataDir, disksDir, volumeFile } = settings
  if (isVolume(settings) || existsSync(volumeFile)) return 'volume'
  if (existsSync(disksDir)) return canClone(disksDir) ? 'cloned' : 'copied'
  if (canClone(dataDir)) return 'cloned'
  return wantsVolume(settings) ? 'volume' : 'copied'
}

function mountExisting(settings: Places): void {
  try {
    mountVolume(settings)
  } catch (cause) {
    const { volumeFile } = settings
    throw new Error(
      `The disks of the machines cannot be used, because ${volumeFile} cannot be mounted: ${cause} If it is damaged, ` +
        `repair it with: xfs_repair ${volumeFile}`,
      { cause },
    )
  }
}

/** Earlier versions had each disk in the folder of its machine. A disk that is in use can be renamed. */
function adoptOldDisks(settings: Places): void {
  const { dataDir, machinesDir } = settings
  for (const id of existsSync(machinesDir) ? readdirSync(machinesDir) : []) {
    const old = join(machinesDir, id, 'disk.ext4')
    if (!existsSync(old)) continue
    mkdirSync(disksOfMachines(settings), { recursive: true, mode: 0o700 })
    renameSync(old, join(disksOfMachines(settings), diskName(id)))
  }
  rmSync(join(dataDir, 'empty-disks'), { recursive: true, force: true })
}

/** Whether the disks are on a volume of their own, which is mounted. */
export function isVolume({ dataDir, disksDir }: Pick<Places, 'dataDir' | 'disksDir'>): boolean {
  const disks = statSync(disksDir, { throwIfNoEntry: false })
  return disks !== undefined && disks.dev !== statSync(dataDir).dev
}

function wantsVolume(settings: Places): boolean {
  const { dataDir, machinesDir, volumeMiB } = settings
  const { blocks, bavail, bsize } = statfsSync(dataDir)
  const hasMachines = existsSync(machinesDir) && readdirSync(machinesDir).length > 0
  return (
    volumeMiB > 0 &&
    (blocks * bsize) / MiB >= smallestHostMiB &&
    (bavail * bsize) / MiB >= 2 * volumeMiB &&
    // Their disks are in use, and cannot be moved to another file system.
    !hasMachines &&
    hasXfs() &&
    !canClone(dataDir)
  )
}

function hasXfs(): boolean {
  if (!existsSync('/usr/sbin/mkfs.xfs')) return false
  const isKnown = () => /\txfs$/m.test(readFileSync('/proc/filesystems', 'utf8'))
  if (!isKnown()) tryTo('modprobe', ['xfs'])
  return isKnown()
}

function createVolume(settings: Places): void {
  const { volumeFile, volumeMiB } = settings
  const part = `${volumeFile}.part`
  rmSync(part, { force: true })
  try {
    run('fallocate', ['--length', String(volumeMiB * MiB), part])
    const size = Math.min(partMiB, volumeMiB / 4)
    run('mkfs.xfs', ['-q', '-m', 'reflink=1', '-d', `agsize=${size}m`, part])
    run('mv', [part, volumeFile])
    mountVolume(settings)
  } catch {
    // Without loop devices, or with too little space, disks are copied.
    rmSync(part, { force: true })
    rmSync(volumeFile, { force: true })
  }
}

/** A crash may have interrupted the growth of the volume, which is then completed. */
function mountVolume({ volumeFile, disksDir }: Places): void {
  run('mount', ['-t', 'xfs', '-o', 'loop,noatime,nodev,nosuid,noexec', volumeFile, disksDir])
  // What is in memory already would be there a second time. Not every file system of a host can do without.
  tryTo('losetup', [
    '--direct-io=on',
    run('findmnt', ['--noheadings', '--output', 'SOURCE', disksDir]).trim(),
  ])
  run('xfs_growfs', [disksDir])
  probeAgain(disksDir)
}

/** Unmounts the volume when there are no machines any more. Unless something else is to be kept there, it is deleted. */
export async function closeDisks(settings: Settings, isKept: boolean): Promise<void> {
  const { disksDir, volumeFile } = settings
  if (isVolume(settings)) await runCommand('umount', [disksDir])
  probeAgain(disksDir)
  if (isKept) return
  rmSync(volumeFile, { force: true })
  rmSync(disksDir, { recursive: true, force: true })
}

const growing = new KeyedMutex()

/** Makes the volume larger, if there is one, until this much of it is free. */
export async function makeSpace(settings: Settings, neededMiB: number): Promise<void> {
  if (!isVolume(settings)) return
  await growing.run(settings.volumeFile, async () => {
    const { bavail, bsize, blocks } = await statfs(settings.disksDir)
    const missing = neededMiB - (bavail * bsize) / MiB
    if (missing <= 0) return
    const sizeMiB = (blocks * bsize) / MiB
    const host = await statfs(settings.dataDir)
    const available = Math.floor((host.bavail * host.bsize) / MiB) - settings.reserveDiskMiB
    const atLeast = Math.ceil(missing * overhead)
    if (available < atLeast)
      throw new MachineError('NO_CAPACITY', 'The host has no space for the disk of one more machine.')
    await grow(settings, Math.min(available, Math.max(atLeast, Math.ceil(sizeMiB * growth))))
  })
}

async function grow({ volumeFile, disksDir }: Settings, byMiB: number): Promise<void> {
  const size = statSync(volumeFile).size + byMiB * MiB
  await runCommand('fallocate', ['--length', String(size), volumeFile])
  const device = (await runCommand('findmnt', ['--noheadings', '--output', 'SOURCE', disksDir])).trim()
  await runCommand('losetup', ['--set-capacity', device])
  await runCommand('xfs_growfs', [disksDir])
}

function run(command: string, args: readonly string[]): string {
  return execFileSync(command, args, { stdio: ['ignore', 'pipe', 'pipe'], encoding: 'utf8' })
}

function tryTo(command: string, args: readonly string[]): void {
  try {
    run(command, args)
  } catch {
    // Whoever calls looks whether it worked.
  }
}
