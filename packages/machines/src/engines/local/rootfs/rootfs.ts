import { existsSync } from 'node:fs'
import { chmod, chown, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runCommand } from '../host/run-command.ts'
import type { MachinePaths } from '../machine-paths.ts'
import type { UidRange } from '../oci/uid-ranges.ts'

const mounter = join(import.meta.dirname, 'mount-rootfs.pl')

/**
 * Mounts the root of a machine: its own upper directory over the image, which all machines share, including the page
 * cache. With a range, the owners of the image are mapped into that range; without one, they are unchanged.
 */
export async function mountRootfs(
  paths: Pick<MachinePaths, 'lower' | 'upper' | 'work' | 'rootfs'>,
  image: string,
  range: UidRange | undefined,
): Promise<void> {
  await mkdir(paths.lower, { recursive: true })
  await mkdir(paths.rootfs, { recursive: true })
  await runCommand('perl', [
    mounter,
    image,
    String(range?.base ?? 0),
    String(range?.size ?? 0),
    paths.lower,
    paths.upper,
    paths.work,
    paths.rootfs,
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
