import { chmod, mkdir, rmdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { KeyedMutex } from '@sandglass/supervision'
import type { VolumeMount } from '../../../contract/volumes.ts'
import { runCommand } from '../host/run-command.ts'
import { machinePaths } from '../machine-paths.ts'
import { type UidRange, volumeRange } from '../oci/uid-ranges.ts'
import type { Settings } from '../options.ts'
import type { MachineRecord } from '../records.ts'
import { diskOptions, isAllocated, ownerMapper } from '../rootfs/disk.ts'
import { mountsBelow, unmountBelow } from '../rootfs/mounts.ts'
import { readVolume, volumeDiskPath } from './volume-records.ts'

const mounter = join(import.meta.dirname, 'mount-volume.sh')
/** The user of the desktop in a machine, to whom a new volume belongs. */
const desktopUser = 1000

/** Attributes of a mount, as mount_setattr(2) has them. */
const attributes = { readOnly: 1, noSuid: 2, noDevices: 4 }

const mountsOfVolumes = ({ runDir }: Pick<Settings, 'runDir'>) => join(runDir, 'volumes')

/** What is mounted for one volume changes one after the other. */
const mounting = new KeyedMutex()

/**
 * Mounts the volumes of a machine that is about to start, each in a folder in which the owners of its files are those of the
 * machine. Only that folder is given to the machine. A volume is mounted once on the host, for all machines that have it.
 */
export async function attachVolumes(
  settings: Settings,
  { spec, range }: Pick<MachineRecord, 'spec' | 'range'>,
): Promise<void> {
  const { volumes = [] } = spec
  if (volumes.length === 0) return
  const folder = machinePaths(settings, spec.id).volumes
  await unmountBelow(folder)
  await mkdir(folder, { recursive: true })
  await mkdir(mountsOfVolumes(settings), { recursive: true, mode: 0o700 })
  await chmod(folder, 0o755)
  for (const volume of volumes) {
    const mount = join(mountsOfVolumes(settings), volume.id)
    await mounting.run(mount, () => attach(settings, mount, join(folder, volume.id), volume, range))
  }
}

async function attach(
  settings: Settings,
  mount: string,
  target: string,
  { id, readOnly = false }: VolumeMount,
  range: UidRange,
): Promise<void> {
  const disk = volumeDiskPath(settings, id)
  const { base = volumeRange.base } = (await readVolume(settings, id)) ?? {}
  const options = `loop,noatime,nodev,nosuid,${diskOptions(await isAllocated(disk))}`
  await runCommand('sh', [mounter, disk, mount, options, String(base + desktopUser)])
  await mkdir(target, { recursive: true })
  const flags = attributes.noSuid | attributes.noDevices | (readOnly ? attributes.readOnly : 0)
  const ids = [base, range.base, range.size].map(String)
  await runCommand('perl', [ownerMapper, join(mount, 'files'), target, String(flags), ...ids])
}

/** Returns where volumes are mounted on the host, by their ids. */
export async function mountedVolumes(settings: Pick<Settings, 'runDir'>): Promise<Map<string, string>> {
  return new Map((await mountsBelow(mountsOfVolumes(settings))).map(mount => [basename(mount), mount]))
}

/** Unmounts the volumes that no machine has mounted. A machine that ended by itself has them until it is destroyed or stopped. */
export async function unmountUnusedVolumes(settings: Settings): Promise<void> {
  for (const [id, mount] of await mountedVolumes(settings))
    await mounting.run(mount, async () => {
      if (!(await isAttached(settings, id))) await unmountVolume(mount)
    })
}

/** Unmounts a volume that no machine has. */
export async function unmountUnusedVolume(settings: Settings, id: string): Promise<void> {
  const mount = join(mountsOfVolumes(settings), id)
  await mounting.run(mount, () => unmountVolume(mount))
}

async function unmountVolume(mount: string): Promise<void> {
  await unmountBelow(mount)
  await rmdir(mount).catch(() => {})
}

async function isAttached(settings: Settings, id: string): Promise<boolean> {
  const mounts = await mountsBelow(join(settings.runDir, 'm'))
  return mounts.some(path => path.endsWith(`/volumes/${id}`))
}
