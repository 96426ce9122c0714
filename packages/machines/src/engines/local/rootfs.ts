import { chmod, chown, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Places } from './places.ts'
import { runCommand } from './run-command.ts'
import type { UidRange } from './uid-ranges.ts'

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

/** Written while no process of the guest has seen the upper directory yet, so these paths hold no surprise. */
export async function writeFirstFiles(
  places: Places,
  range: UidRange,
  files: Readonly<Record<string, string>>,
): Promise<void> {
  const etc = join(places.upper, 'etc')
  await mkdir(etc, { mode: 0o755 })
  await chmod(etc, 0o755)
  await chown(etc, range.base, range.base)
  for (const [name, content] of Object.entries(files)) {
    const path = join(etc, name)
    await writeFile(path, content, { mode: 0o644 })
    await chown(path, range.base, range.base)
  }
}
