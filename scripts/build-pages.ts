import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { build } from 'vite'
import { fingerprintOf } from './fingerprint.ts'
import { markdownPages } from './guide/markdown-pages.ts'

/** Builds the pages of apps/dashboard into its dist folder, unless the existing build is from the same sources. */
const root = join(import.meta.dirname, '..')
const app = join(root, 'apps/dashboard')
const dist = join(app, 'dist')
const stamp = join(dist, '.sources')
const sources = [
  'apps/dashboard/{*.html,*.ts,package.json,src/**/*}',
  'packages/{cli,client,live,protocol,wire}/{package.json,src/**/*.ts}',
  'scripts/{client/routes-as-value.ts,reference/*.ts}',
  'package-lock.json',
]

const guideSources = [
  ...markdownPages,
  'docs/**/*.{png,gif,svg}',
  '{examples,deploy,bench}/**/*.{ts,py,yaml,json,conf}',
  '{examples,deploy}/**/{Caddyfile,Dockerfile}',
  'scripts/guide/*.ts',
]

const wanted = await fingerprintOf(root, sources)
if ((await readFile(stamp, 'utf8').catch(() => '')) !== wanted) {
  console.log('Building the pages.')
  const started = Date.now()
  // Build in a separate folder, so that neither what is served meanwhile nor a concurrent build is disturbed.
  const fresh = `${dist}-${process.pid}`
  await build({ configFile: join(app, 'vite.config.ts'), build: { outDir: fresh } })
  await compressAssets(join(fresh, 'assets'))
  await writeFile(join(fresh, '.sources'), wanted)
  await rm(dist, { recursive: true, force: true })
  await rename(fresh, dist)
  console.log(`Built in ${Math.round((Date.now() - started) / 1000)} s.`)
}

// The guide is built on its own, so that a change of its text does not build everything.
const guide = join(app, 'dist-guide')
const guideStamp = `${wanted} ${await fingerprintOf(root, guideSources)}`
if ((await readFile(join(guide, '.sources'), 'utf8').catch(() => '')) !== guideStamp) {
  const { buildGuide } = await import('./guide/build-guide.ts')
  await buildGuide(root, await readFile(join(dist, 'guide.html'), 'utf8'), guide, guideStamp)
}

/** The service sends these to browsers that accept them, and compresses nothing itself. */
async function compressAssets(folder: string): Promise<void> {
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9 }
  for (const name of await readdir(folder)) {
    const file = join(folder, name)
    const content = await readFile(file)
    await writeFile(`${file}.br`, await promisify(brotliCompress)(content, { params }))
    await writeFile(`${file}.gz`, await promisify(gzip)(content))
  }
}
