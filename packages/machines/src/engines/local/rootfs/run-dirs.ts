import { chmod, mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Settings } from '../options.ts'

/** Creates the folders that every machine's root user traverses to its own; only the service can list them. */
export async function createRunDirs(settings: Pick<Settings, 'runDir'>): Promise<void> {
  const inner = ['m', 'prepared'].map(name => join(settings.runDir, name))
  // The deepest first: another engine that is dismantled removes the outermost folder if it is empty.
  for (const folder of inner) await mkdir(folder, { recursive: true })
  // chmod is separate, because the umask of the service would restrict the mode of mkdir.
  for (const folder of [dirname(settings.runDir), settings.runDir, ...inner]) await chmod(folder, 0o711)
}
