import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { AdbLink } from '../../adb/adb-link.ts'
import { listFolder } from './list-folder.ts'
import { FakeAdbd } from './test-fake-adbd.ts'

const folderMode = 0o40755
const fileMode = 0o100644

/** The answer of ADB's sync service to a request for the state of a file. */
function stat(id: 'STA2' | 'DNT2', mode: number): Buffer {
  const bytes = Buffer.alloc(72)
  bytes.write(id)
  bytes.writeUInt32LE(mode, 24)
  return bytes
}

function entry(name: string, nameLength = name.length): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32LE(nameLength)
  return Buffer.concat([stat('DNT2', fileMode), length, Buffer.from(name)])
}

describe('a folder of a device that is not trusted', () => {
  let fake: FakeAdbd
  let link: AdbLink
  let answers: (() => Buffer)[]
  beforeEach(async () => {
    fake = await FakeAdbd.start()
    fake.onService = (service, stream) => {
      if (service !== 'sync:') return 'left'
      stream.onData = data => {
        const request = data.toString('latin1', 0, 4)
        if (request === 'STA2') stream.write(stat('STA2', folderMode))
        if (request === 'LIS2') for (const answer of answers) stream.write(answer())
      }
      return 'taken'
    }
    const [host, port] = fake.address.split(':')
    link = await AdbLink.open(connect(Number(port), host))
  })
  afterEach(async () => {
    link?.close()
    await fake?.vanish()
  })

  it('is listed in pages', async () => {
    const done = Buffer.alloc(76)
    done.write('DONE')
    answers = [() => Buffer.concat([entry('.'), entry('b'), entry('a'), done])]
    const { entries, next } = await listFolder(link, '/sdcard', { limit: 1 })
    assert.deepEqual([entries.map(({ name }) => name), next], [['a'], 'a'])
  })

  it('is refused if it has too many entries', async () => {
    const many = Buffer.concat(Array.from({ length: 301 }, (_, n) => entry(`f${n}`)))
    answers = [() => many]
    let turns = 0
    const count = () => {
      turns++
      timer = setImmediate(count)
    }
    let timer = setImmediate(count)
    await assert.rejects(listFolder(link, '/sdcard', {}, 300), {
      code: 'MACHINE_FAILED',
      message: /more than 300 entries/,
    })
    clearImmediate(timer)
    assert.ok(turns >= 10, 'others had their turns meanwhile')
  })

  it('is refused if a name has no end', async () => {
    const megabyte = Buffer.alloc(1024 * 1024, 'x')
    answers = [() => entry('x', 0xffff_ff00), ...Array.from({ length: 70 }, () => () => megabyte)]
    await assert.rejects(listFolder(link, '/sdcard', {}), { code: 'MACHINE_FAILED' })
    assert.ok(fake.sentBytes < 70 * 1024 * 1024)
  })
})
