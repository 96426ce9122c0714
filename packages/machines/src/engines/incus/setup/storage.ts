import { readFile, statfs } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { IncusServer } from './server.ts'
import { SetupError } from './setup-context.ts'

export const storageDrivers = ['btrfs', 'zfs', 'dir'] as const
export type StorageDriver = (typeof storageDrivers)[number]

/** What the operator asked for. */
export interface StorageWish {
  readonly driver?: StorageDriver | undefined
  /** A block device that is formatted, a folder on a btrfs, or a dataset of ZFS. */
  readonly source?: string | undefined
  /** The size of the file that holds the pool, if there is no other place for it. */
  readonly sizeGiB?: number | undefined
}

/** Where the pool of a member is. */
export interface StorageChoice {
  readonly driver: StorageDriver
  /** The settings that only this member has. */
  readonly config: Readonly<Record<string, string>>
  /** For a person, as the end of a sentence. */
  readonly where: string
}

/** What decides where a pool can be. */
export interface StorageHost {
  /** The folder of Incus, by the name that Incus has for it. */
  readonly incusDir: string
  readonly isOnBtrfs: boolean
  readonly freeGiB: number
  readonly drivers: readonly string[]
  readonly kernelHasBtrfs: boolean
}

const btrfsMagic = 0x9123683e
const smallestGiB = 5

/** Looks at the box. `socket` is where this process sees the socket of Incus, which may have another name for its folder. */
export async function seeStorageHost(
  socket: string,
  { storageDrivers: drivers }: Pick<IncusServer, 'storageDrivers'>,
  incusDir = '/var/lib/incus',
): Promise<StorageHost> {
  const { type, bavail, bsize } = await statfs(dirname(socket))
  const filesystems = await readFile('/proc/filesystems', 'utf8')
  return {
    incusDir,
    isOnBtrfs: type === btrfsMagic,
    freeGiB: Math.floor((bavail * bsize) / 1024 ** 3),
    drivers,
    kernelHasBtrfs: /\tbtrfs$/m.test(filesystems),
  }
}

/** Chooses the pool of a member: what the operator wants, otherwise the fastest that works. */
export function chooseStorage(wish: StorageWish, host: StorageHost, pool: string): StorageChoice {
  const driver = wish.driver ?? fastest(wish, host)
  if (!host.drivers.includes(driver))
    throw new SetupError(
      `Incus cannot use ${driver} on this box, only ${host.drivers.join(', ') || 'nothing'}. ${howToGet[driver]}`,
    )
  if (driver === 'dir') return inFolder(wish)
  if (wish.source !== undefined)
    return { driver, config: { source: wish.source }, where: `${driver} on ${wish.source}` }
  if (driver === 'btrfs' && host.isOnBtrfs && wish.sizeGiB === undefined) {
    const source = join(host.incusDir, 'storage-pools', pool)
    return { driver, config: { source }, where: `btrfs in ${source}, which is on a btrfs already` }
  }
  const sizeGiB = wish.sizeGiB ?? Math.floor(host.freeGiB / 2)
  if (sizeGiB < smallestGiB)
    throw new SetupError(
      `There are ${host.freeGiB} GiB free in ${host.incusDir}, and a pool needs at least ${smallestGiB} GiB. Give it a disk with --source /dev/…, or a size with --size.`,
    )
  return {
    driver,
    config: { size: `${sizeGiB}GiB` },
    where: `${driver} in a file of ${sizeGiB} GiB; a disk of its own (--source /dev/…) is faster`,
  }
}

const howToGet: Readonly<Record<StorageDriver, string>> = {
  btrfs: 'Install btrfs-progs, and restart incus.',
  zfs: 'Install zfsutils-linux and the module of the kernel, and restart incus.',
  dir: '',
}

function fastest({ source }: StorageWish, { drivers, kernelHasBtrfs }: StorageHost): StorageDriver {
  if (drivers.includes('btrfs') && kernelHasBtrfs) return 'btrfs'
  if (drivers.includes('zfs')) return 'zfs'
  if (source === undefined) return 'dir'
  throw new SetupError(`Neither btrfs nor ZFS works here, so --source ${source} cannot be formatted.`)
}

function inFolder({ source }: StorageWish): StorageChoice {
  return {
    driver: 'dir',
    config: source === undefined ? {} : { source },
    where: 'a plain folder, which has no snapshots: creating and forking machines is ten times slower',
  }
}
