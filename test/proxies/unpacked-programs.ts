import { createWriteStream } from 'node:fs'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { AptMirror } from '@sandglass/machines/apt'
import { runCommand } from '../../packages/machines/src/engines/local/host/run-command.ts'

/** Downloaded packages are kept between test runs. */
const cache = join(import.meta.dirname, '../../node_modules/.cache/packages')

/**
 * Unpacks Debian packages, with what they need beyond this host, into a folder. Nothing is installed, so that no package
 * starts a service. The programs run on the libraries of this host.
 */
export async function unpackPrograms(folder: string, packages: readonly string[]): Promise<void> {
  await mkdir(cache, { recursive: true })
  const status = await readFile('/var/lib/dpkg/status', 'utf8')
  // They are unpacked also if they are installed here.
  const others = status
    .split('\n\n')
    .filter(entry => !packages.includes(/^Package: (.*)$/m.exec(entry)?.[1] ?? ''))
  const files = await new AptMirror(cache).fetch({ packages, installed: Buffer.from(others.join('\n\n')) })
  await mkdir(folder, { recursive: true })
  for (const { fileName, content } of files) {
    const deb = join(folder, fileName)
    await pipeline(content(), createWriteStream(deb))
    await runCommand('dpkg-deb', ['--extract', deb, folder])
  }
}
