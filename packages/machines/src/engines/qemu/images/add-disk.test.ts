import assert from 'node:assert/strict'
import { chmod, chown, open, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { smallDisk } from '../../../testing/index.ts'
import { addDisk, type BroughtDisk } from './add-disk.ts'
import { removeVmImage } from './remove-vm-image.ts'
import { storeVmImage } from './store-vm-image.ts'
import { diskFolder, MiB, qemuImgOfPerson } from './test-disks.ts'
import { findVmImage, readVmImage } from './vm-image.ts'

const about: BroughtDisk = { os: 'linux', agent: 'none', devices: 'virtio' }
const diskBytes = 48 * MiB

/** Writes a raw disk with a boot sector, with data at its start and near its end, and holes between. */
async function makeRaw(path: string, mark = 'data'): Promise<string> {
  const file = await open(path, 'w')
  await file.truncate(diskBytes)
  const sector = Buffer.alloc(512)
  sector.writeUInt16BE(0x55aa, 510)
  await file.write(sector, 0, 512, 0)
  await file.write(mark, 20 * MiB)
  await file.write(mark, diskBytes - 4096)
  await file.close()
  return path
}

const leftIn = async (folder: string) =>
  (await readdir(folder).catch(() => [])).filter(name => !name.endsWith('.lock'))

test('a disk of every format is stored as the same sparse raw disk, and the original is not changed', async () => {
  await using folder = await diskFolder()
  const imagesDir = join(folder.path, 'images')
  const raw = await makeRaw(join(folder.path, 'disk.raw'))
  const content = await readFile(raw)
  for (const format of ['raw', 'qcow2', 'vmdk', 'vdi', 'vhdx']) {
    const disk = join(folder.path, `disk.${format}`)
    if (format !== 'raw') await qemuImgOfPerson('convert', '-f', 'raw', '-O', format, raw, disk)
    // Other users cannot read it, and the program that converts it is another user.
    await chmod(disk, 0o600)
    await chown(disk, 12345, 12345)
    const before = await readFile(disk)
    const lines: string[] = []
    const options = { imagesDir, reserveDiskMiB: 0, onProgress: (line: string) => void lines.push(line) }
    const { image, folder: stored } = await addDisk(`from-${format}`, disk, about, options)
    assert.deepEqual(await readVmImage(stored), image)
    assert.deepEqual([image.firmware, image.diskMiB], ['bios', 48])
    assert.ok((await readFile(join(stored, 'disk.raw'))).equals(content), format)
    const { blocks, uid } = await stat(join(stored, 'disk.raw'))
    assert.ok(blocks * 512 < MiB, `${format} takes ${blocks} blocks`)
    assert.equal(uid, 0)
    assert.ok((await readFile(disk)).equals(before), `${format} was changed`)
    assert.ok(lines.includes('Copied 100%.'), lines.join('\n'))
  }
  assert.equal((await leftIn(imagesDir)).length, 5)
})

test('the digest depends on content and description, and not on the holes of the file', async () => {
  await using folder = await diskFolder()
  const disk = await makeRaw(join(folder.path, 'a'))
  const full = join(folder.path, 'full')
  await writeFile(full, await readFile(disk))
  let count = 0
  const digestOf = async (path: string, description = about) => {
    const imagesDir = join(folder.path, `images-${count++}`)
    return (await addDisk('one', path, description, { imagesDir, reserveDiskMiB: 0 })).image.digest
  }
  const digest = await digestOf(disk)
  assert.equal(await digestOf(full), digest)
  assert.notEqual(await digestOf(disk, { ...about, memoryMiB: 128 }), digest)
  assert.notEqual(await digestOf(await makeRaw(join(folder.path, 'b'), 'else')), digest)
})

test('the firmware follows from the partitions, and brings its files', async () => {
  await using folder = await diskFolder()
  const imagesDir = join(folder.path, 'images')
  const disk = await makeRaw(join(folder.path, 'disk'))
  const file = await open(disk, 'r+')
  const header = Buffer.alloc(512)
  header.write('EFI PART')
  header.writeUInt32LE(128, 84)
  await file.write(header, 0, 512, 512)
  await file.write(Buffer.from('28732ac11ff8d211ba4b00a0c93ec93b', 'hex'), 0, 16, 1024 + 128)
  await file.close()
  const options = { imagesDir, reserveDiskMiB: 0 }
  const uefi = await addDisk('uefi', disk, about, options)
  assert.equal(uefi.image.firmware, 'uefi')
  assert.deepEqual((await readdir(uefi.folder)).sort(), ['disk.raw', 'vars.fd', 'vm.json'])
  const secure = await addDisk('secure', disk, { ...about, firmware: 'uefi-secure' }, options)
  assert.deepEqual((await readdir(secure.folder)).sort(), ['disk.raw', 'tpm', 'vars.fd', 'vm.json'])
  assert.notDeepEqual(
    await readFile(join(secure.folder, 'vars.fd')),
    await readFile(join(uefi.folder, 'vars.fd')),
  )
})

test('a disk that refers to other files of the host is refused, and gets nothing of them', async () => {
  await using folder = await diskFolder()
  const imagesDir = join(folder.path, 'images')
  const secret = await makeRaw(join(folder.path, 'secret'), 'a secret of the host')
  const at = (name: string) => join(folder.path, name)
  await qemuImgOfPerson('create', '-f', 'qcow2', '-b', secret, '-F', 'raw', at('backing'))
  const external = `data_file=${at('external')},data_file_raw=on`
  await qemuImgOfPerson('create', '-f', 'qcow2', '-o', external, at('data-file'), '1M')
  await qemuImgOfPerson('create', '-f', 'vmdk', at('parent.vmdk'), '1M')
  await qemuImgOfPerson('create', '-f', 'vmdk', '-b', at('parent.vmdk'), '-F', 'vmdk', at('child.vmdk'))
  await qemuImgOfPerson('create', '-f', 'vmdk', '-o', 'subformat=monolithicFlat', at('flat.vmdk'), '1M')
  // A disk in one file which has a capacity of 0, so that its description is believed, which says that its data is elsewhere.
  const lying = await readFile(at('parent.vmdk'))
  const from = lying.indexOf('createType="monolithicSparse"')
  lying.write(`createType="monolithicFlat"\nRW 2048 FLAT "${secret}" 0\n`.padEnd(200), from)
  lying.writeBigUInt64LE(0n, 12)
  await writeFile(at('lying.vmdk'), lying)
  assert.match(await qemuImgOfPerson('info', at('lying.vmdk')), /secret/, 'an unconfined qemu-img follows it')
  const refused: readonly (readonly [string, RegExp])[] = [
    ['backing', /is only the difference to another disk/],
    ['data-file', /keeps its data in another file/],
    ['child.vmdk', /refers to another file|could not be read as vmdk/],
    ['flat.vmdk', /only describes a VMDK that has several files/],
    ['lying.vmdk', /could not be read as vmdk/],
  ]
  for (const [name, message] of refused)
    await assert.rejects(addDisk('bad', at(name), about, { imagesDir, reserveDiskMiB: 0 }), message, name)
  assert.deepEqual(await leftIn(imagesDir), [])
  // Said to be raw, the same bytes are only bytes.
  const options = { imagesDir, reserveDiskMiB: 0, format: 'raw' } as const
  const { folder: stored } = await addDisk('bytes', at('backing'), about, options)
  const bytes = await readFile(join(stored, 'disk.raw'))
  assert.ok(bytes.subarray(0, 4).equals(Buffer.from('QFI\xfb', 'latin1')))
  assert.ok(!bytes.includes('a secret of the host'))
})

test('what cannot be added is refused with what to do about it', async () => {
  await using folder = await diskFolder()
  const imagesDir = join(folder.path, 'images')
  const at = async (name: string, content: string | Buffer) => {
    await writeFile(join(folder.path, name), content)
    return join(folder.path, name)
  }
  const good = await makeRaw(join(folder.path, 'good'))
  const cd = Buffer.alloc(0x9000)
  cd.write('CD001', 0x8001)
  const refused: readonly (readonly [name: string, disk: string, RegExp])[] = [
    ['a', join(folder.path, 'missing'), /There is no file .*missing\. Check the path/],
    ['a', folder.path, /is not a file/],
    ['Not-Valid', good, /cannot be the name of an image/],
    ['a', await at('text', 'hello'), /has no boot sector.*--format raw/],
    ['a', await at('empty', ''), /has no boot sector/],
    ['a', await at('a.xz', '\xfd7zXZ'), /has no boot sector/],
    ['a', await at('b.xz', Buffer.from('\xfd7zXZ', 'latin1')), /is compressed with xz/],
    ['a', await at('cd.iso', cd), /is a CD image.*npm run vm-image -- windows/],
    ['a', await at('broken.qcow2', Buffer.from('QFI\xfb\0\0\0\x03', 'latin1')), /could not be read as qcow2/],
  ]
  for (const [name, disk, message] of refused)
    await assert.rejects(addDisk(name, disk, about, { imagesDir, reserveDiskMiB: 0 }), message, disk)
  await addDisk('taken', good, about, { imagesDir, reserveDiskMiB: 0 })
  await assert.rejects(
    addDisk('taken', good, about, { imagesDir, reserveDiskMiB: 0 }),
    /There is already an image taken\. .* npm run vm-image -- remove taken/,
  )
  assert.equal((await leftIn(imagesDir)).length, 1)
})

test('a disk that does not fit is refused before it is copied', async () => {
  await using folder = await diskFolder()
  const disk = join(folder.path, 'disk')
  const content = Buffer.alloc(16 * MiB, 'x')
  content.writeUInt16BE(0x55aa, 510)
  await writeFile(disk, content)
  const small = await smallDisk(64)
  try {
    const options = { imagesDir: join(small.folder, 'images'), reserveDiskMiB: 4 }
    await small.fill(8)
    await assert.rejects(
      addDisk('big', disk, about, options),
      /MiB free, and the image needs .* SANDGLASS_DATA/,
    )
    assert.deepEqual(await leftIn(options.imagesDir), [])
    await small.empty()
    assert.equal((await addDisk('big', disk, about, options)).image.diskMiB, 16)
  } finally {
    await small.dispose()
  }
})

test('an image that is being made keeps its name from others, and leaves nothing if it is aborted', async () => {
  await using folder = await diskFolder()
  const imagesDir = join(folder.path, 'images')
  const disk = await makeRaw(join(folder.path, 'disk'))
  const abort = new AbortController()
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
  const making = storeVmImage(
    imagesDir,
    'one',
    () => {
      begin()
      return new Promise((_, reject) =>
        abort.signal.addEventListener('abort', () => reject(abort.signal.reason)),
      )
    },
    { signal: abort.signal },
  )
  await Promise.race([begun, making])
  await assert.rejects(
    addDisk('one', disk, about, { imagesDir, reserveDiskMiB: 0 }),
    /Another command is working on the image one/,
  )
  assert.equal(await findVmImage(imagesDir, 'one'), undefined)
  abort.abort(new Error('enough'))
  await assert.rejects(making, /enough/)
  assert.deepEqual(await leftIn(imagesDir), [])
  await assert.rejects(
    addDisk('one', disk, about, { imagesDir, reserveDiskMiB: 0, signal: AbortSignal.abort() }),
  )
  assert.deepEqual(await leftIn(imagesDir), [])
})

test('an image is removed unless a machine has its disk open', async () => {
  await using folder = await diskFolder()
  const imagesDir = join(folder.path, 'images')
  const disk = await makeRaw(join(folder.path, 'disk'))
  const { folder: stored } = await addDisk('one', disk, about, { imagesDir, reserveDiskMiB: 0 })
  const used = await open(join(stored, 'disk.raw'))
  await assert.rejects(removeVmImage(imagesDir, 'one'), new RegExp(`in use by process ${process.pid}\\.`))
  await used.close()
  await removeVmImage(imagesDir, 'one')
  assert.deepEqual(await leftIn(imagesDir), [])
  await assert.rejects(removeVmImage(imagesDir, 'one'), /There is no image one/)
})
