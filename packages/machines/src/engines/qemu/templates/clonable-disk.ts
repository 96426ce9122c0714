import { existsSync } from 'node:fs'
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { KeyedMutex } from '@sandglass/supervision'
import { runCommand } from '../../local/host/run-command.ts'
import { canClone } from '../../local/storage/can-clone.ts'
import { withSpaceFor } from '../../local/storage/disk-space.ts'
import type { QemuSettings } from '../options.ts'
import type { StoredTemplate } from './template-store.ts'

const MiB = 1024 * 1024
const copying = new KeyedMutex()

/**
 * Returns the disk of a template where machines can clone it: a copy beside their own disks, which is made when the first of them
 * starts. Where the file system cannot clone, each machine gets a copy of its own.
 */
export async function clonableDisk(
  settings: QemuSettings,
  key: string,
  { version, disk: source }: StoredTemplate,
): Promise<string> {
  const { disksDir, templateDisksDir } = settings
  if (!canClone(disksDir)) return source
  const target = join(templateDisksDir, `${key}-${version}.ext4`)
  if (existsSync(target)) return target
  return await copying.run(target, async () => {
    if (existsSync(target)) return target
    await mkdir(templateDisksDir, { recursive: true, mode: 0o700 })
    await removeCopies(settings, name => name.startsWith(`${key}-`))
    const part = `${target}.part`
    const { blocks } = await stat(source)
    await withSpaceFor(settings, (blocks * 512) / MiB, () =>
      runCommand('cp', ['--sparse=always', '--', source, part]),
    )
    await rename(part, target)
    return target
  })
}

/** Removes copies by the names of their files, which begin with the key of the template. */
export async function removeCopies(
  { templateDisksDir }: Pick<QemuSettings, 'templateDisksDir'>,
  which: (name: string) => boolean,
): Promise<void> {
  for (const name of await readdir(templateDisksDir).catch(() => []))
    if (which(name)) await rm(join(templateDisksDir, name), { force: true })
}
