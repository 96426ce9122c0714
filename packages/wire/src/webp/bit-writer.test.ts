import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { BitWriter } from './bit-writer.ts'

test('numbers are written lowest bit first, and the last byte is padded with zeroes', () => {
  const bits = new BitWriter()
  bits.write(0b101, 3)
  bits.write(0b11, 2)
  bits.write(0b0110, 4)
  assert.deepEqual([...bits.bytes()], [0b11011101, 0b0])
  bits.write(0b1, 1)
  assert.deepEqual([...bits.bytes()], [0b11011101, 0b10])
})

test('a writer without bits has no bytes', () => {
  const bits = new BitWriter()
  assert.equal(bits.bytes().length, 0)
  bits.write(0, 0)
  assert.equal(bits.bytes().length, 0)
})

test('any sequence of numbers of up to 31 bits can be read back', () => {
  const sizedNumber = fc
    .integer({ min: 0, max: 31 })
    .chain(count => fc.record({ count: fc.constant(count), value: fc.nat({ max: 2 ** count - 1 }) }))
  const property = fc.property(fc.array(sizedNumber, { maxLength: 2000 }), numbers => {
    const bits = new BitWriter()
    for (const { value, count } of numbers) bits.write(value, count)
    const bytes = bits.bytes()
    assert.equal(bytes.length, Math.ceil(numbers.reduce((sum, { count }) => sum + count, 0) / 8))
    let at = 0
    for (const { value, count } of numbers) {
      let read = 0
      for (let bit = 0; bit < count; bit++, at++)
        read += (((bytes[at >>> 3] ?? 0) >>> (at & 7)) & 1) * 2 ** bit
      assert.equal(read, value)
    }
  })
  fc.assert(property, { seed: 1, numRuns: 60 })
})
