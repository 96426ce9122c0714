import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runCommand } from '../host/run-command.ts'
import type { MachinePaths } from '../machine-paths.ts'
import { namespaceLimits } from '../oci/kernel-limits.ts'
import type { UidRange } from '../oci/uid-ranges.ts'

const mounter = join(import.meta.dirname, 'mount-rootfs.pl')

/** Whose the root is: the ids that its machine will have. */
export interface RootOwner {
  /** A user of the host, different for each machine, for whom the kernel counts what the machine uses. */
  readonly account: number
  readonly range: UidRange
  /** Whether the owners of the image have to be mapped into the range, or are in it already. */
  readonly mapped: boolean
}

type RootPaths = Pick<MachinePaths, 'lower' | 'upper' | 'work' | 'rootfs' | 'userNamespace'>

/**
 * Mounts the root of a machine: its own upper directory over the image, which all machines share, including the page
 * cache. Also creates the user namespace of the machine, with its limits.
 */
export async function mountRootfs(paths: RootPaths, image: string, owner: RootOwner): Promise<void> {
  const [command = '', ...args] = await rootfsCommand(paths, image, owner)
  await runCommand(command, args)
}

/** The command that mounts the root, once there are folders for it. */
export async function rootfsCommand(
  paths: RootPaths,
  image: string,
  { account, range, mapped }: RootOwner,
): Promise<string[]> {
  await mkdir(paths.lower, { recursive: true })
  await mkdir(paths.rootfs, { recursive: true })
  return [
    'perl',
    mounter,
    image,
    String(account),
    String(range.base),
    String(range.size),
    mapped ? '1' : '0',
    paths.userNamespace,
    paths.lower,
    paths.upper,
    paths.work,
    paths.rootfs,
    ...Object.entries(namespaceLimits).map(([name, limit]) => `${name}=${limit}`),
  ]
}

/**
 * Files in /etc that tell a machine about itself. They are created empty in the upper directory before it is mounted,
 * and hide whatever the image has there.
 */
export const identityFiles = ['hostname', 'hosts', 'resolv.conf'] as const
export type IdentityFiles = Readonly<Record<(typeof identityFiles)[number], string>>

/**
 * Writes the files through the mounted root. No process of the guest has run yet, so they are still the empty ones.
 */
export async function writeIdentityFiles(paths: MachinePaths, files: IdentityFiles): Promise<void> {
  await Promise.all(
    identityFiles.map(name => writeFile(join(paths.rootfs, 'etc', name), files[name], { flag: 'r+' })),
  )
}

/** Whether the root is mounted and complete. */
export const isRootReady = (paths: MachinePaths): boolean =>
  existsSync(join(paths.rootfs, 'etc', identityFiles[0]))
