import { chmod, mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Settings } from '../options.ts'

/** Folders that every machine's root passes through to its own; none but the service can list them. */
export async function layPassage(settings: Pick<Settings, 'runDir'>): Promise<void> {
  for (const folder of [dirname(settings.runDir), settings.runDir, join(settings.runDir, 'm')]) {
    await mkdir(folder, { recursive: true })
    // Said apart, because the service's own umask would take it away.
    await chmod(folder, 0o711)
  }
  await mkdir(join(settings.runDir, 'prepared'), { recursive: true, mode: 0o700 })
}
