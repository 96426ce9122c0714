import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, beforeEach, describe, it } from 'node:test'
import { findVmImage, isVmImageName, listVmImages, readVmImage, type VmImage } from './vm-image.ts'

const image: VmImage = {
  version: 1,
  name: 'debian',
  digest: 'a'.repeat(64),
  os: 'linux',
  firmware: 'uefi',
  agent: 'none',
  diskMiB: 100,
  devices: 'virtio',
}

describe('images of virtual machines', () => {
  let imagesDir: string
  const folders: string[] = []

  const make = async (folder: string, written: unknown, files = ['disk.raw', 'vars.fd']) => {
    const path = join(imagesDir, folder)
    await mkdir(path)
    for (const name of files) await writeFile(join(path, name), '')
    await writeFile(join(path, 'vm.json'), typeof written === 'string' ? written : JSON.stringify(written))
    return path
  }

  beforeEach(async () => {
    imagesDir = await mkdtemp(join(tmpdir(), 'sandglass-test-'))
    folders.push(imagesDir)
  })
  after(() => Promise.all(folders.map(folder => rm(folder, { recursive: true, force: true }))))

  it('are read as they were written', async () => {
    assert.deepEqual(await readVmImage(await make('vm-debian-000000000000', image)), image)
    const withMemory = { ...image, memoryMiB: 512 }
    assert.deepEqual(await readVmImage(await make('vm-debian-111111111111', withMemory)), withMemory)
  })

  it('are refused if a value is wrong, or a file is missing', async () => {
    const wrong: readonly (readonly [unknown, RegExp])[] = [
      ['{', /is not JSON/],
      [{ ...image, version: 2 }, /has a version that this Sandglass does not know/],
      [{ ...image, os: 'plan9' }, /has no valid os/],
      [{ ...image, name: '../x' }, /has no valid name/],
      [{ ...image, diskMiB: 0 }, /has no valid diskMiB/],
      [{ ...image, memoryMiB: '512' }, /has no valid memoryMiB/],
      [null, /has a version/],
    ]
    for (const [index, [written, message]] of wrong.entries())
      await assert.rejects(readVmImage(await make(`vm-wrong-${index}`, written)), message)
    await assert.rejects(readVmImage(await make('vm-no-disk', image, ['vars.fd'])), /has no disk\.raw\./)
    const secure = { ...image, firmware: 'uefi-secure' }
    await assert.rejects(readVmImage(await make('vm-no-tpm', secure)), /has no tpm\./)
    const kernel = { ...image, firmware: 'kernel' }
    await assert.rejects(readVmImage(await make('vm-no-kernel', kernel)), /has no kernel and no initrd\./)
  })

  it('are found by name, the newest first, and only if they are complete', async () => {
    const old = await make('vm-debian-000000000000', { ...image, diskMiB: 1 })
    const longAgo = new Date(Date.now() - 60_000)
    await utimes(join(old, 'vm.json'), longAgo, longAgo)
    const newest = await make('vm-debian-111111111111', image)
    await make('vm-debian-222222222222', image, [])
    await make('vm-debian.part', image)
    await make('desktop-333333333333', image)
    await make('vm-other-444444444444', '{')
    assert.deepEqual(
      (await listVmImages(imagesDir)).map(({ folder }) => folder),
      [newest, old],
    )
    assert.equal((await findVmImage(imagesDir, 'debian'))?.folder, newest)
    assert.equal(await findVmImage(imagesDir, 'other'), undefined)
    assert.deepEqual(await listVmImages(join(imagesDir, 'missing')), [])
  })

  it('have names that are safe in paths', () => {
    for (const name of ['a', 'windows-11', 'x'.repeat(50)]) assert.ok(isVmImageName(name), name)
    for (const name of ['', '-a', 'a-', 'A', 'a/b', '..', 'a.b', 'a b', 'x'.repeat(51)])
      assert.ok(!isVmImageName(name), name)
  })
})
