import { chmod, mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Settings } from '../options.ts'

/** Creates the folders that every machine's root user traverses to its own; only the service can list them. */
export async function createRunDirs(settings: Pick<Settings, 'runDir'>): Promise<void> {
  for (const folder of [dirname(settings.runDir), settings.runDir, join(settings.runDir, 'm')]) {
    await mkdir(folder, { recursive: true })
    // chmod is separate, because the umask of the service would restrict the mode of mkdir.
    await chmod(folder, 0o711)
  }
  await mkdir(join(settings.runDir, 'prepared'), { recursive: true, mode: 0o700 })
}
