import { existsSync } from 'node:fs'
import { chmod, chown, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runCommand } from '../host/run-command.ts'
import type { UidRange } from '../oci/uid-ranges.ts'
import type { Places } from '../places.ts'

const mounter = join(import.meta.dirname, 'mount-rootfs.pl')

/**
 * The machine's root: its own upper directory over the image, which all machines share, page cache included.
 * With a range, the image's owners are seen in that range; without one, they are taken as they are.
 */
export async function mountRootfs(
  places: Pick<Places, 'lower' | 'upper' | 'work' | 'rootfs'>,
  image: string,
  range: UidRange | undefined,
): Promise<void> {
  await mkdir(places.lower, { recursive: true })
  await mkdir(places.rootfs, { recursive: true })
  await runCommand('perl', [
    ...[mounter, image, String(range?.base ?? 0), String(range?.size ?? 0)],
    ...[places.lower, places.upper, places.work, places.rootfs],
  ])
}

/** What a machine is told of itself by files in /etc. */
const firstFiles = ['hostname', 'hosts', 'resolv.conf'] as const
export type FirstFiles = Readonly<Record<(typeof firstFiles)[number], string>>

/** Empty ones in the upper directory, before it is mounted: whatever the image has there, these hide it. */
export async function layFirstFiles(places: Places, range: UidRange): Promise<void> {
  const etc = join(places.upper, 'etc')
  await mkdir(etc, { mode: 0o755 })
  await chmod(etc, 0o755)
  await chown(etc, range.base, range.base)
  for (const name of firstFiles) {
    const path = join(etc, name)
    await writeFile(path, '', { mode: 0o644, flag: 'wx' })
    await chmod(path, 0o644)
    await chown(path, range.base, range.base)
  }
}

/** Through the mounted root, while no process of the guest has seen it: the files are still those laid above. */
export async function writeFirstFiles(places: Places, files: FirstFiles): Promise<void> {
  await Promise.all(
    firstFiles.map(name => writeFile(join(places.rootfs, 'etc', name), files[name], { flag: 'r+' })),
  )
}

/** Whether the root is mounted and as it was laid. */
export const isLaid = (places: Places): boolean => existsSync(join(places.rootfs, 'etc', firstFiles[0]))
