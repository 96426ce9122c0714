import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { Readable, Writable } from 'node:stream'
import { buffer, text } from 'node:stream/consumers'
import { it } from 'node:test'
import type { FileRange } from '../files.ts'
import { fails, output } from './running.ts'
import type { Inside } from './subject.ts'

/** Tests how the content of files is read and sent, also while somebody changes them. */
export function openFiles(context: () => Inside): void {
  const machine = () => context().machine
  const newPath = () => context().guest.paths.join(context().guest.home, randomUUID())

  it('reads the file that was opened, even if its name leads to another meanwhile', async () => {
    const path = newPath()
    const { files } = machine()
    await files.write(path, Buffer.from('first'))
    const [whole, unread] = [await files.open(path), await files.open(path)]
    unread.close()
    await files.write(path, Buffer.from('another'))
    assert.ok(path.endsWith(whole.info.name))
    assert.equal(whole.info.size, 5)
    assert.equal(await text(whole.read()), 'first')
  })

  it('sends a file to a sink, whole and by range, small and large', async () => {
    const path = newPath()
    const { files } = machine()
    for (const content of [randomBytes(1000), randomBytes(9_000_000)]) {
      await files.write(path, content)
      const ranges: FileRange[] = [{}, { offset: 10, length: 500 }, { offset: 990 }]
      for (const range of ranges) {
        const got: Buffer[] = []
        const write = (piece: Buffer, _: string, done: () => void) => {
          got.push(Buffer.from(piece))
          done()
        }
        await (await files.open(path)).sendTo(new Writable({ write }), range)
        const { offset = 0, length = content.length } = range
        assert.ok(content.subarray(offset, offset + length).equals(Buffer.concat(got)))
      }
    }
  })

  it('frees the buffers that it may consume, and leaves others alone', async () => {
    const path = newPath()
    const write = async (consume: boolean) => {
      const pieces = Array.from({ length: 6 }, () => Buffer.from(new ArrayBuffer(1_000_000)).fill('x'))
      const { size } = await machine().files.write(path, Readable.from(pieces), { size: 6_000_000, consume })
      assert.equal(size, 6_000_000)
      return pieces.map(({ length }) => length)
    }
    assert.deepEqual(await write(false), Array(6).fill(1_000_000))
    assert.ok([0, 1_000_000].includes((await write(true))[0] ?? -1))
    assert.ok((await buffer(await machine().files.read(path))).equals(Buffer.alloc(6_000_000, 'x')))
  })

  it('fails if a file became shorter while it was read, and with steady if it changed at all', async () => {
    const path = newPath()
    const { files } = machine()
    const { append, overwrite } = context().programs
    await files.write(path, Buffer.alloc(9_000_000))
    const [grown, sent, cut] = [await files.open(path), await files.open(path), await files.open(path)]
    await output(machine(), append(path, 'more'))
    await assert.rejects(buffer(grown.read({ steady: true })), fails('STATE'))
    const sink = new Writable({ write: (_piece, _encoding, done) => done() })
    await assert.rejects(sent.sendTo(sink, { steady: true }), fails('STATE'))
    await output(machine(), overwrite(path, 'less'))
    await assert.rejects(buffer(cut.read()), fails('STATE'))

    await files.write(path, Buffer.from('0123456789'))
    const [shorter, longer, steady] = [await files.open(path), await files.open(path), await files.open(path)]
    await output(machine(), append(path, 'more'))
    assert.equal(await text(longer.read()), '0123456789')
    await assert.rejects(text(steady.read({ steady: true })), fails('STATE'))
    await output(machine(), overwrite(path, '01'))
    await assert.rejects(text(shorter.read()), fails('STATE'))
  })

  it('answers a short request while a long one is under way', async () => {
    const path = newPath()
    await machine().files.write(path, Buffer.alloc(4_000_000))
    // The content does not fit into the buffers in between, so the process that sends it waits for a reader.
    const long = (await machine().files.open(path)).read()
    const [one, other] = await Promise.all([
      machine().files.read(path),
      machine().files.read(context().expected.landmarks.readable),
    ])
    assert.equal((await buffer(one)).length, 4_000_000)
    assert.ok((await text(other)).length > 0)
    assert.equal((await buffer(long)).length, 4_000_000)
  })
}
