import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { codesOf, maxCodeLength } from './canonical.ts'
import { codeLengths } from './huffman.ts'

/** The share of the code space in use, in units of 15-bit codes: 2 ** 15 if the code is complete. */
function usedCodeSpace(lengths: Uint8Array): number {
  return lengths.reduce((sum, length) => sum + (length > 0 ? 2 ** (maxCodeLength - length) : 0), 0)
}

/** The encoded size of symbols with these counts. */
function totalBits(counts: Uint32Array, lengths: Uint8Array): number {
  return counts.reduce((sum, count, symbol) => sum + count * (lengths[symbol] ?? 0), 0)
}

test('frequent symbols get short codes', () => {
  assert.deepEqual([...codeLengths(Uint32Array.of(8, 1, 0, 1, 2), 15)], [1, 3, 0, 3, 2])
})

test('without symbols there are no codes, and a single symbol gets one bit', () => {
  assert.deepEqual([...codeLengths(new Uint32Array(5), 15)], [0, 0, 0, 0, 0])
  assert.deepEqual([...codeLengths(Uint32Array.of(0, 0, 7), 15)], [0, 0, 1])
})

test('even Fibonacci counts, the worst case, stay within the maximum length', () => {
  const counts = new Uint32Array(45).fill(1)
  for (let at = 2; at < counts.length; at++) counts[at] = (counts[at - 1] ?? 0) + (counts[at - 2] ?? 0)
  assert.equal(Math.max(...codeLengths(counts, 60)), 44)
  for (const longest of [7, 13, 15]) {
    const lengths = codeLengths(counts, longest)
    assert.ok(lengths.every(length => length >= 1 && length <= longest))
    assert.equal(usedCodeSpace(lengths), 2 ** maxCodeLength)
  }
})

const someCounts = fc
  .array(fc.oneof(fc.constant(0), fc.nat(3), fc.nat(1_000_000)), { minLength: 2, maxLength: 400 })
  .map(counts => Uint32Array.from(counts))
  .filter(counts => counts.filter(count => count > 0).length >= 2)

test('the code is complete, and symbols that do not occur have no code', () => {
  const property = fc.property(someCounts, counts => {
    const lengths = codeLengths(counts, 15)
    assert.equal(usedCodeSpace(lengths), 2 ** maxCodeLength)
    counts.forEach((count, symbol) => {
      assert.equal(count > 0, (lengths[symbol] ?? 0) > 0)
    })
  })
  fc.assert(property, { seed: 2, numRuns: 300 })
})

test('the encoded size is at least the entropy, and less than one bit per symbol above it', () => {
  const property = fc.property(someCounts, counts => {
    const all = counts.reduce((sum, count) => sum + count, 0)
    const entropy = counts.reduce((sum, count) => sum + (count > 0 ? count * Math.log2(all / count) : 0), 0)
    const bits = totalBits(counts, codeLengths(counts, 60))
    assert.ok(bits >= entropy - 1e-6 * all && bits <= entropy + all)
  })
  fc.assert(property, { seed: 3, numRuns: 300 })
})

test('no code is a prefix of another, with the first bit lowest', () => {
  const lengths = codeLengths(Uint32Array.of(8, 1, 0, 1, 2), 15)
  // By length, then by symbol: 0, 10, 110, 111.
  assert.deepEqual([...codesOf(lengths)], [0b0, 0b011, 0, 0b111, 0b01])
})
