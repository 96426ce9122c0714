import { existsSync } from 'node:fs'
import { chmod, chown, mkdir, writeFile } from 'node:fs/promises'
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

/**
 * Mounts the root of a machine: its own upper directory over the image, which all machines share, including the page
 * cache. Also creates the user namespace of the machine, with its limits.
 */
export async function mountRootfs(
  paths: Pick<MachinePaths, 'lower' | 'upper' | 'work' | 'rootfs' | 'userNamespace'>,
  image: string,
  { account, range, mapped }: RootOwner,
): Promise<void> {
  await mkdir(paths.lower, { recursive: true })
  await mkdir(paths.rootfs, { recursive: true })
  await runCommand('perl', [
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
  ])
}

/** Files in /etc that tell a machine about itself. */
const identityFiles = ['hostname', 'hosts', 'resolv.conf'] as const
export type IdentityFiles = Readonly<Record<(typeof identityFiles)[number], string>>

/** Creates empty files in the upper directory before it is mounted. They hide whatever the image has there. */
export async function createIdentityFiles(paths: MachinePaths, range: UidRange): Promise<void> {
  const etc = join(paths.upper, 'etc')
  await mkdir(etc, { mode: 0o755 })
  await chmod(etc, 0o755)
  await chown(etc, range.base, range.base)
  for (const name of identityFiles) {
    const path = join(etc, name)
    await writeFile(path, '', { mode: 0o644, flag: 'wx' })
    await chmod(path, 0o644)
    await chown(path, range.base, range.base)
  }
}

/**
 * Writes the files through the mounted root. No process of the guest has run yet, so they are still those created
 * above.
 */
export async function writeIdentityFiles(paths: MachinePaths, files: IdentityFiles): Promise<void> {
  await Promise.all(
    identityFiles.map(name => writeFile(join(paths.rootfs, 'etc', name), files[name], { flag: 'r+' })),
  )
}

/** Whether the root is mounted and complete. */
export const isRootReady = (paths: MachinePaths): boolean =>
  existsSync(join(paths.rootfs, 'etc', identityFiles[0]))
