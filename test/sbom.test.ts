import assert from 'node:assert/strict'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { imageFolder, readRecipe } from '@sandglass/machines/images'
import { z } from 'zod'
import { imageNames } from '../scripts/sbom/debian-components.ts'
import { writeSbom } from '../scripts/sbom/write-sbom.ts'

const repository = join(import.meta.dirname, '..')

const Component = z.object({
  'bom-ref': z.string(),
  name: z.string(),
  version: z.string().optional(),
  purl: z.string().optional(),
  scope: z.string().optional(),
  licenses: z.array(z.object({ expression: z.string() })).optional(),
  hashes: z.array(z.object({ alg: z.string(), content: z.string() })).optional(),
  get components() {
    return z.array(Component).optional()
  },
})
const Document = z.object({
  bomFormat: z.literal('CycloneDX'),
  specVersion: z.string(),
  metadata: z.object({ component: Component }),
  components: z.array(Component),
})

let folder: string
let images: string

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sandglass-sbom-'))
  images = join(folder, 'images')
  for (const file of ['package.json', 'package-lock.json', 'packages/server/shapes.json'])
    await cp(join(repository, file), join(folder, file), { recursive: true })
})
after(() => rm(folder, { recursive: true }))

async function written(): Promise<{ text: string; document: z.infer<typeof Document> }> {
  const { file } = await writeSbom(folder, images)
  const text = await readFile(join(folder, file), 'utf8')
  return { text, document: Document.parse(JSON.parse(text)) }
}

test('the SBOM has every npm package once, with its license and hash, and no address to download from', async () => {
  const { text, document } = await written()
  const byPurl = new Map(document.components.map(component => [component.purl, component]))
  const manifest = JSON.parse(await readFile(join(repository, 'packages/server/package.json'), 'utf8'))
  for (const [name, version] of Object.entries(manifest.dependencies))
    if (!name.startsWith('@sandglass/')) {
      const component = byPurl.get(`pkg:npm/${name.replace('@', '%40')}@${version}`)
      assert.ok(component?.licenses?.[0]?.expression, name)
      assert.equal(component.scope, 'required')
      assert.match(component.hashes?.[0]?.content ?? '', /^[0-9a-f]{128}$/)
    }
  assert.equal(document.components.find(({ name }) => name === 'typescript')?.scope, 'excluded')
  const references = document.components.flatMap(({ components = [], ...each }) => [each, ...components])
  assert.equal(new Set(references.map(each => each['bom-ref'])).size, references.length)
  assert.ok(!document.components.some(({ name }) => name.startsWith('@sandglass/')))
  assert.doesNotMatch(text.replace(/"\$schema": ".*"/, ''), /https?:\/\//)
})

test('a built image is listed with the versions of its Debian packages, and another one with what its recipe names', async () => {
  const [name = ''] = await imageNames(repository)
  const unbuilt = (await written()).document.components.find(each => each.name === `sandglass-image-${name}`)
  const { packages } = await readRecipe(name)
  assert.deepEqual(
    unbuilt?.components?.map(each => [each.name, each.version]),
    packages.map(each => [each, undefined]),
  )

  const root = join(images, await imageFolder(name))
  await mkdir(join(root, 'var/lib/dpkg'), { recursive: true })
  await mkdir(join(root, 'etc'))
  await writeFile(join(root, 'etc/os-release'), 'ID=debian\nVERSION_CODENAME=bookworm\n')
  await writeFile(
    join(root, 'var/lib/dpkg/status'),
    `Package: libstdc++6
Status: install ok installed
Architecture: amd64
Version: 1:12.2.0-14
Description: a library
 Version: not a field

Package: removed
Status: deinstall ok config-files
Architecture: all
Version: 1.0
`,
  )
  const built = (await written()).document.components.find(each => each.name === `sandglass-image-${name}`)
  assert.deepEqual(
    built?.components?.map(({ name: each, version, purl }) => [each, version, purl]),
    [['libstdc++6', '1:12.2.0-14', 'pkg:deb/debian/libstdc%2B%2B6@1%3A12.2.0-14?arch=amd64&distro=bookworm']],
  )
})
