import { createHash, randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { cp, mkdir, readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Settings } from './options.ts'

const source = join(import.meta.dirname, '../../../guest')

/**
 * The programs that run inside every machine, copied to where any uid may read them. A version has a folder of its
 * own, so that machines which run an older one keep it.
 */
export async function layGuestFiles(settings: Settings): Promise<string> {
  const hash = createHash('sha256')
  for (const name of (await readdir(source)).sort()) {
    if (!name.startsWith('__')) hash.update(name).update(await readFile(join(source, name)))
  }
  const folder = join(settings.runDir, `guest-${hash.digest('hex').slice(0, 12)}`)
  if (existsSync(folder)) return folder
  await mkdir(settings.runDir, { recursive: true, mode: 0o711 })
  const part = `${folder}.${randomUUID()}`
  await cp(source, part, { recursive: true, filter: path => !path.includes('__pycache__') })
  await rename(part, folder).catch(() => rm(part, { recursive: true, force: true }))
  return folder
}
