import { chmod, copyFile, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { bundle } from './client/bundle.ts'
import { declareTypes } from './client/declare-types.ts'
import { entriesOf } from './client/entries.ts'
import { manifestOf } from './client/manifest.ts'
import { fingerprintOf } from './fingerprint.ts'
import { run } from './release/run.ts'

/**
 * Builds the published package, `sandglass`, into packages/client/dist, unless the existing build is from the same sources. `npm pack`
 * in that folder packs it.
 */
const root = join(import.meta.dirname, '..')
const client = join(root, 'packages/client')
const dist = join(client, 'dist')
const stamp = join(dist, '.sources')
const sources = [
  'packages/{client,cli}/{*.json,README.md,src/**/*.ts}',
  'packages/{protocol,wire}/{package.json,src/**/*.ts}',
  'scripts/{build-client.ts,client/*.ts}',
  '{LICENSE,package.json,package-lock.json,tsconfig.json}',
]

const Packed = z.tuple([z.object({ size: z.number() })])

const wanted = await fingerprintOf(root, sources)
if ((await readFile(stamp, 'utf8').catch(() => '')) !== wanted) {
  console.log('Building the client.')
  const started = Date.now()
  // Build in a separate folder, so that what uses the existing build meanwhile is not disturbed.
  const fresh = `${dist}-${process.pid}`
  try {
    await build(fresh)
    await rm(dist, { recursive: true, force: true })
    await rename(fresh, dist)
  } finally {
    await rm(fresh, { recursive: true, force: true })
  }
  const seconds = Math.round((Date.now() - started) / 1000)
  console.log(`Built in ${seconds} s. Packed, it has ${Math.round((await packedSize()) / 1024)} KiB.`)
}

async function build(folder: string): Promise<void> {
  const entries = entriesOf(root)
  await bundle(root, entries, folder)
  await declareTypes(root, join(folder, 'types'))
  const manifest = await manifestOf(root, entries)
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`)
  await copyFile(join(client, 'README.md'), join(folder, 'README.md'))
  await copyFile(join(root, 'LICENSE'), join(folder, 'LICENSE'))
  if (entries.some(({ name }) => name === 'cli')) await chmod(join(folder, 'cli.js'), 0o755)
  await writeFile(join(folder, '.sources'), wanted)
}

/** The size of what users download. */
async function packedSize(): Promise<number> {
  const [packed] = Packed.parse(JSON.parse(await run(dist, 'npm', 'pack', '--dry-run', '--json')))
  return packed.size
}
