import { createHash, randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runCommand } from '../host/run-command.ts'
import type { Settings } from '../options.ts'

const source = join(import.meta.dirname, '../../../../guest')

/** Runs with the Python of the image: reads sources by name and prints compiled files by name, both as JSON. */
const compiler = `
import base64, importlib.util, json, sys
from importlib._bootstrap_external import _code_to_hash_pyc as pack
def compiled(name, text):
    code = compile(text, '/run/sandglass/guest/' + name, 'exec', dont_inherit=True)
    return base64.b64encode(pack(code, importlib.util.source_hash(text.encode()), False)).decode()
tag = sys.implementation.cache_tag
files = json.load(sys.stdin)
json.dump({name[:-3] + '.' + tag + '.pyc': compiled(name, text) for name, text in files.items()}, sys.stdout)
`

/** The programs that run inside every machine, with a digest that changes with them and with the image. */
async function readGuestFiles(image: string) {
  const names = (await readdir(source)).filter(name => !name.startsWith('__')).sort()
  const texts = await Promise.all(names.map(name => readFile(join(source, name), 'utf8')))
  const hash = createHash('sha256')
    .update(JSON.stringify([image, names, texts]))
    .digest('hex')
    .slice(0, 12)
  return { names, texts, hash }
}

/** Identifies the programs that machines of an image run. */
export const guestDigest = async (image: string): Promise<string> => (await readGuestFiles(image)).hash

/**
 * Copies the programs that run inside every machine of an image to a folder that any uid may read, and compiles them
 * for the Python of that image. Each version has its own folder, so that running machines keep theirs.
 */
export async function installGuestFiles(
  settings: Pick<Settings, 'imagesDir' | 'runDir'>,
  image: string,
): Promise<string> {
  const { names, texts, hash } = await readGuestFiles(image)
  const folder = join(settings.runDir, `guest-${hash}`)
  if (existsSync(folder)) return folder
  const part = `${folder}.${randomUUID()}`
  const cache = join(part, '__pycache__')
  await mkdir(cache, { recursive: true })
  for (const path of [part, cache]) await chmod(path, 0o755)
  const python: Record<string, string> = {}
  for (const [i, name] of names.entries()) {
    const path = join(part, name)
    const text = texts[i] ?? ''
    await writeFile(path, text)
    await chmod(path, (await stat(join(source, name))).mode & 0o111 ? 0o755 : 0o644)
    if (name.endsWith('.py')) python[name] = text
  }
  const chroot = [join(settings.imagesDir, image), '/usr/bin/python3', '-ISB', '-c', compiler]
  const compiled: unknown = JSON.parse(await runCommand('chroot', chroot, { input: JSON.stringify(python) }))
  for (const [name, content] of Object.entries(compiled ?? {})) {
    await writeFile(join(cache, name), Buffer.from(String(content), 'base64'))
    await chmod(join(cache, name), 0o644)
  }
  await rename(part, folder).catch(() => rm(part, { recursive: true, force: true }))
  return folder
}
