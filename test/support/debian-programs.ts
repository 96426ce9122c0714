import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const cache = join(import.meta.dirname, '../../node_modules/.cache/debian')

/** Downloads the package named $0. The lists of a fresh machine may be missing or too old. */
const download =
  'apt-get download --quiet=2 "$0" || { apt-get update --quiet=2 && apt-get download --quiet=2 "$0"; }'

/**
 * Unpacks a package of Debian without installing it, so that none of its services starts, and returns the folder with its files.
 * They are kept between test runs.
 */
export async function unpackDebianPackage(name: string): Promise<string> {
  const folder = join(cache, name)
  if (existsSync(folder)) return folder
  await mkdir(cache, { recursive: true })
  const temporary = await mkdtemp(join(cache, `${name}.part-`))
  try {
    const lock = '/var/lib/apt/lists'
    await run('flock', [lock, 'sh', '-c', download, name], { cwd: temporary })
    const script = 'mkdir files && dpkg-deb --extract ./*.deb files'
    await run('sh', ['-c', script], { cwd: temporary })
    // Another test may have been faster.
    await rename(join(temporary, 'files'), folder).catch(error => {
      if (!existsSync(folder)) throw error
    })
  } finally {
    await rm(temporary, { recursive: true, force: true })
  }
  return folder
}
