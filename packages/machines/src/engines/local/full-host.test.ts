import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import { MachineError } from '../../contract/errors.ts'
import type { Machine } from '../../contract/machine.ts'
import { type SmallDisk, smallDisk } from '../../testing/small-disk.ts'
import { idOf } from './handle.ts'
import { LocalEngine } from './local-engine.ts'
import { machinePaths } from './machine-paths.ts'
import { preparedNames } from './rootfs/prepared-roots.ts'
import { type TestEngine, testEngine, testSpec } from './test-engine.ts'

const home = '/home/user'
const isFull = (error: unknown) => error instanceof MachineError && error.code === 'HOST_FULL'

describe('a host whose disk is full', { timeout: 240_000 }, () => {
  let disk: SmallDisk
  let test: TestEngine
  let engine: LocalEngine
  let machine: Machine
  const read = async (path: string) => buffer(await machine.files.read(path))

  before(async () => {
    disk = await smallDisk(384)
    // There is no reserve, so that writes are tried when there is no space at all.
    test = await testEngine({ dataDir: disk.folder, reserveDiskMiB: 0, diskOvercommit: 10 })
    engine = test.open()
    machine = await engine.open(await engine.create(testSpec()))
  })
  after(async () => {
    await engine?.close()
    await test?.dispose()
    await disk?.dispose()
  })

  it('fails the writes that it cannot store, and keeps the bytes of all others', async () => {
    const kept = new Map<string, Buffer>([
      ['old', Buffer.from('the old content')],
      ['source', randomBytes(32 << 20)],
    ])
    for (const [name, content] of kept) await machine.files.write(name, content)
    await disk.fill(4)
    let refused = 0
    // Large files are written by the host itself instead of through the agent's socket.
    for (const [size, count] of [
      [256 * 1024, 40],
      [5 * 1024 * 1024, 3],
      [256, 40],
    ] as const)
      for (let i = 0; i < count; i++) {
        const name = `f-${size}-${i}`
        const content = randomBytes(size)
        try {
          await machine.files.write(name, Readable.from([content]), { size })
          kept.set(name, content)
        } catch (error) {
          assert.ok(isFull(error), String(error))
          assert.match(String(error), /host/)
          refused++
        }
      }
    assert.ok(refused > 0 && kept.size > 2, `${refused} refused, ${kept.size} kept`)
    await assert.rejects(machine.files.write('old', randomBytes(32 << 20)), isFull)
    await assert.rejects(machine.files.copy('source', 'copied'), isFull)
    const { disk: file } = machinePaths(engine.settings, idOf(machine.handle))
    await disk.inside(file, async folder => {
      for (const [name, content] of kept) {
        const stored = await readFile(join(folder, 'upper', home, name)).catch(() => Buffer.from('nothing'))
        assert.ok(stored.equals(content), `${name} was acknowledged and is not on the disk`)
      }
    })
    for (const [name, content] of kept) assert.ok((await read(name)).equals(content), name)
    const names = (await machine.files.list(home)).entries.map(({ name }) => name)
    assert.deepEqual(
      names.filter(name => name.startsWith('f-') || name.endsWith('.part') || name === 'copied').sort(),
      [...kept.keys()].filter(name => name.startsWith('f-')).sort(),
    )
  })

  it('accepts writes again once there is space', async () => {
    await disk.empty()
    await machine.files.write('old', Buffer.from('the new content'))
    assert.equal(String(await read('old')), 'the new content')
    await machine.files.write('large', Readable.from([randomBytes(8 << 20)]), { size: 8 << 20 })
  })
})

describe('a host whose disk runs low', { timeout: 240_000 }, () => {
  let disk: SmallDisk
  let test: TestEngine
  let engine: LocalEngine

  before(async () => {
    disk = await smallDisk(512)
    test = await testEngine({ dataDir: disk.folder, reserveDiskMiB: 100 })
    engine = test.open()
  })
  after(async () => {
    await engine?.close()
    await test?.dispose()
    await disk?.dispose()
  })

  it('refuses creates and writes before anything is lost, and still removes files', async () => {
    const machine = await engine.open(await engine.create(testSpec({ diskMiB: 256 })))
    await machine.files.write('old', Buffer.from('the old content'))
    const much = machine.files.write('much', Readable.from([]), { size: 400 << 20 })
    await assert.rejects(much, isFull)
    await disk.fill(90)
    await assert.rejects(machine.files.write('new', Buffer.from('x')), isFull)
    await assert.rejects(machine.files.copy('old', 'new'), isFull)
    await assert.rejects(machine.files.makeDirectory('folder'), isFull)
    await assert.rejects(engine.create(testSpec()), { code: 'NO_CAPACITY', message: /short of disk/ })
    assert.equal((await engine.capacity(64)).fits, 0)
    await machine.files.remove('old')
    await disk.empty()
    await machine.files.write('new', Buffer.from('x'))
    await engine.destroy(machine.handle)
  })

  it('limits overcommitment, and reports what is short', async () => {
    const handle = await engine.create(testSpec({ diskMiB: 2048 }))
    const refusal = { code: 'NO_CAPACITY', message: /promised to other machines: 2048 of \d+ MiB/ } as const
    await assert.rejects(engine.create(testSpec({ diskMiB: 2048 })), refusal)
    assert.match((await engine.capacity(2048)).reason ?? '', /SANDGLASS_DISK_OVERCOMMIT/)
    const small = await engine.create(testSpec({ diskMiB: 256 }))
    for (const made of [handle, small]) await engine.destroy(made)
  })
})

it('without overcommitment, a machine can fill its disk although the host has no other space', {
  timeout: 240_000,
}, async () => {
  const disk = await smallDisk(512)
  const test = await testEngine({ dataDir: disk.folder, reserveDiskMiB: 64, diskOvercommit: 1 })
  const engine = test.open()
  try {
    await assert.rejects(engine.create(testSpec({ diskMiB: 512 })), { code: 'NO_CAPACITY' })
    // Prepared roots have allocated disks too, and are removed to make space.
    await engine.prepare('minimal', 128)
    assert.ok((await preparedNames(engine.settings)).length > 0)
    const machine = await engine.open(await engine.create(testSpec({ diskMiB: 320 })))
    assert.deepEqual(await preparedNames(engine.settings), [])
    await disk.fill(2)
    for (const round of [1, 2]) {
      const content = randomBytes(200 << 20)
      await machine.files.write('most', Readable.from([content]), { size: content.length })
      assert.ok((await buffer(await machine.files.read('most'))).equals(content), `round ${round}`)
      await machine.files.remove('most')
    }
  } finally {
    await engine.close()
    await test.dispose()
    await disk.dispose()
  }
})

it('by default, machines are promised no more disk than there is beside what the service needs', {
  timeout: 240_000,
}, async () => {
  const disk = await smallDisk(512)
  const test = await testEngine({ dataDir: disk.folder })
  const { diskOvercommit: _, ...options } = test.options
  const engine = new LocalEngine({ ...options, reserveDiskMiB: 32, unpromisedDiskMiB: 150 })
  try {
    const first = await engine.create(testSpec({ diskMiB: 192 }))
    await assert.rejects(engine.create(testSpec({ diskMiB: 160 })), {
      code: 'NO_CAPACITY',
      message: /promised to other machines: 192 of \d+ MiB/,
    })
    await disk.fill(150)
    await assert.rejects(engine.create(testSpec({ diskMiB: 64 })), {
      code: 'NO_CAPACITY',
      message: /182 MiB stay reserved for the service/,
    })
    const machine = await engine.open(first)
    await machine.files.write('still', Buffer.from('the disk of a machine is its own'))
  } finally {
    await engine.close()
    await test.dispose()
    await disk.dispose()
  }
})
