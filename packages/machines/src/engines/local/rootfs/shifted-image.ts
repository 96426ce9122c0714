import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { runCommand } from '../host/run-command.ts'
import { sharedRange } from '../oci/uid-ranges.ts'
import type { Settings } from '../options.ts'

const shifter = join(import.meta.dirname, 'shift-owners.pl')

/**
 * Returns a copy of an image whose files belong to the shared range, for hosts without idmapped mounts. It is created
 * once.
 */
export async function shiftedImage(settings: Pick<Settings, 'imagesDir'>, image: string): Promise<string> {
  const folder = `${image}.shifted`
  const target = join(settings.imagesDir, folder)
  if (existsSync(target)) return folder
  const script =
    '[ ! -d "$1" ] || exit 0; rm -rf "$1.part"; cp -a "$0" "$1.part" && perl "$2" "$1.part" "$3" && mv "$1.part" "$1"'
  const source = join(settings.imagesDir, image)
  await runCommand('flock', [
    `${target}.lock`,
    'sh',
    '-c',
    script,
    source,
    target,
    shifter,
    String(sharedRange.base),
  ])
  return folder
}
