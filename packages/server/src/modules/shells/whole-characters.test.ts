import assert from 'node:assert/strict'
import { test } from 'node:test'
import { WholeCharacters } from './whole-characters.ts'

const text = 'aé–😀\u{10ffff}z'

function pass(chunks: readonly Buffer[]): Buffer[] {
  const characters = new WholeCharacters()
  return [...chunks.map(chunk => Buffer.from(characters.push(chunk))), characters.flush()]
}

test('wherever a text is split, every piece has complete characters, and the pieces add up to the text', () => {
  const bytes = Buffer.from(text)
  for (let one = 0; one <= bytes.length; one++)
    for (let two = one; two <= bytes.length; two++) {
      const pieces = pass([bytes.subarray(0, one), bytes.subarray(one, two), bytes.subarray(two)])
      assert.equal(pieces.map(piece => piece.toString()).join(''), text)
      assert.ok(pieces.every(piece => !piece.toString().includes('\ufffd')))
    }
})

test('bytes that are not text pass unchanged, and none is held back forever', () => {
  const every = Buffer.from(Uint8Array.from({ length: 1024 }, (_, i) => (i * 37) % 256))
  const single = Array.from(every, byte => Buffer.of(byte))
  assert.ok(Buffer.concat(pass(single)).equals(every))
  assert.deepEqual(pass([Buffer.from([0xff, 0xf8, 0x80, 0x80, 0x80, 0x80])])[1], Buffer.alloc(0))
})
