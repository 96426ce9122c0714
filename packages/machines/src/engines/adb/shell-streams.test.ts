import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import fc from 'fast-check'
import { ShellFrames, shellFrame } from '../../adb/shell-frames.ts'
import { UntilMark } from './until-mark.ts'

/** Splits the bytes into chunks of these lengths, followed by the rest. */
function cut(bytes: Buffer, lengths: readonly number[]): Buffer[] {
  const pieces: Buffer[] = []
  let at = 0
  for (const length of [...lengths, bytes.length]) {
    if (at < bytes.length) pieces.push(bytes.subarray(at, at + length))
    at += length
  }
  return pieces
}

const lengths = fc.array(fc.integer({ min: 1, max: 40 }))

test('the data of each shell stream arrives in order, wherever the connection is split', () => {
  const frame = fc.tuple(fc.integer({ min: 0, max: 5 }), fc.uint8Array({ maxLength: 30 }))
  fc.assert(
    fc.property(fc.array(frame), lengths, (said, cuts) => {
      const whole = Buffer.concat(said.map(([id, data]) => shellFrame(id, data)))
      const frames = new ShellFrames()
      const pieces = cut(whole, cuts).flatMap(chunk => frames.receive(chunk))
      for (const id of [0, 1, 2, 3, 4, 5]) {
        const got = Buffer.concat(pieces.filter(piece => piece.id === id).map(({ data }) => data))
        const wanted = Buffer.concat(said.filter(([of]) => of === id).map(([, data]) => data))
        assert.ok(wanted.equals(got))
      }
    }),
  )
})

test('a frame that declares 4 GiB allocates nothing', () => {
  const frames = new ShellFrames()
  frames.receive(Buffer.of(1, 255, 255, 255, 255))
  const [piece] = frames.receive(Buffer.from('a little of it'))
  assert.deepEqual(piece, { id: 1, data: Buffer.from('a little of it') })
})

test('a chunk of many tiny frames of one stream is passed on as one piece', () => {
  const tiny = Buffer.concat(Array.from({ length: 1000 }, (_, n) => shellFrame(1, Buffer.of(n & 255))))
  const pieces = new ShellFrames().receive(Buffer.concat([tiny, shellFrame(2, Buffer.of(1)), tiny]))
  assert.deepEqual(
    pieces.map(({ id, data }) => [id, data.length]),
    [
      [1, 1000],
      [2, 1],
      [1, 1000],
    ],
  )
})

test('output ends at the mark, with the exit code, wherever it is split, and anything after it is discarded', async () => {
  const mark = '\x1e0123456789'
  // These include partial marks, which must be passed on as output.
  const word = fc.constantFrom('a', '\n', '\x1e', '\x1e0', '\x1e012345678', '0123456789')
  await fc.assert(
    fc.asyncProperty(fc.array(word), lengths, fc.boolean(), async (words, cuts, hasEnd) => {
      const content = Buffer.from(words.join(''))
      const whole = Buffer.concat([content, Buffer.from(hasEnd ? `${mark}42\nlater` : '')])
      fc.pre(!content.includes(mark))
      const until = Readable.from(cut(whole, cuts), { objectMode: false }).pipe(new UntilMark(mark))
      assert.ok(content.equals(await buffer(until)))
      assert.equal(await until.trailer, hasEnd ? '42' : undefined)
    }),
  )
})
