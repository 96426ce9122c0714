import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, beforeEach, describe, it } from 'node:test'
import { imageFolder } from '../../../images/build-image.ts'
import { machinePaths } from '../machine-paths.ts'
import { type Settings, settle } from '../options.ts'
import { removeUnusedImages } from './unused-images.ts'

const longAgo = new Date(Date.now() - 30 * 24 * 60 * 60_000)
const [old, saved] = ['minimal-000000000000', 'minimal-111111111111']
const current = await imageFolder('minimal')

describe('unused images', () => {
  let dataDir: string
  let settings: Settings
  const folders: string[] = []

  /** Makes the folders of images that were last used long ago. */
  const makeImages = async (...names: string[]) => {
    for (const name of names) {
      await mkdir(join(settings.imagesDir, name, 'etc'), { recursive: true })
      await writeFile(join(settings.imagesDir, `${name}.used`), '')
      await utimes(join(settings.imagesDir, `${name}.used`), longAgo, longAgo)
    }
  }
  const left = async () =>
    (await readdir(settings.imagesDir)).filter(name => !/\.(lock|used)$/.test(name)).sort()

  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'sandglass-test-'))
    folders.push(dataDir)
    settings = settle({ dataDir, uplink: 'none' })
  })
  after(() => Promise.all(folders.map(folder => rm(folder, { recursive: true, force: true }))))

  it('are removed, but not those of a recipe, of a saved disk, or that were used lately', async () => {
    await makeImages(old, `${old}.shifted`, saved, current, 'minimal-222222222222')
    await utimes(join(settings.imagesDir, 'minimal-222222222222.used'), new Date(), new Date())
    await mkdir(settings.savedDir, { recursive: true })
    await writeFile(join(settings.savedDir, 'disk-1.json'), JSON.stringify({ id: 'disk-1', image: saved }))
    assert.deepEqual((await removeUnusedImages(settings)).sort(), [old, `${old}.shifted`])
    assert.deepEqual(await left(), [current, saved, 'minimal-222222222222'].sort())
  })

  it('are kept if they are of virtual machines, which an operator brought', async () => {
    await makeImages('vm-windows-11-000000000000')
    assert.deepEqual(await removeUnusedImages(settings), [])
    assert.deepEqual(await left(), ['vm-windows-11-000000000000'])
  })

  it('are kept if they have not been seen before, and if a record cannot be read', async () => {
    await mkdir(join(settings.imagesDir, old), { recursive: true })
    assert.deepEqual(await removeUnusedImages(settings), [])
    await makeImages(old)
    const { record } = machinePaths(settings, 'broken')
    await mkdir(dirname(record), { recursive: true })
    await writeFile(record, '{')
    await assert.rejects(removeUnusedImages(settings), /broken/)
    assert.deepEqual(await left(), [old])
  })

  it('are kept in a directory that other engines use too', async () => {
    const shared = settle({ dataDir, imagesDir: join(dataDir, 'images'), uplink: 'none' })
    await makeImages(old)
    assert.deepEqual(await removeUnusedImages(shared), [])
    assert.deepEqual(await left(), [old])
  })

  it('are not confused with a build that is in progress, unlike what an ended build left', async () => {
    for (const name of [old, saved])
      await mkdir(join(settings.imagesDir, `${name}.part`), { recursive: true })
    const lock = join(settings.imagesDir, `${saved}.lock`)
    const builder = spawn('flock', [lock, 'sh', '-c', 'echo locked; cat'], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    await once(builder.stdout, 'data')
    assert.deepEqual(await removeUnusedImages(settings), [`${old}.part`])
    assert.deepEqual(await left(), [`${saved}.part`])
    builder.stdin.end()
    await once(builder, 'exit')
    assert.deepEqual(await removeUnusedImages(settings), [`${saved}.part`])
  })
})
