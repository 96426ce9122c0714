import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { runLengths, type Step } from './run-lengths.ts'

/** Decodes as RFC 9649, "Normal Code Length Code", specifies. */
function read(steps: readonly Step[]): number[] {
  const lengths: number[] = []
  let last = 8
  for (const { symbol, extra, extraBits } of steps) {
    assert.ok(extra >= 0 && extra < 2 ** extraBits)
    if (symbol < 16) {
      lengths.push(symbol)
      if (symbol > 0) last = symbol
    } else if (symbol === 16) lengths.push(...Array<number>(3 + extra).fill(last))
    else lengths.push(...Array<number>((symbol === 17 ? 3 : 11) + extra).fill(0))
  }
  return lengths
}

test('runs of every kind can be decoded', () => {
  const aRun = fc.tuple(fc.nat(15), fc.integer({ min: 1, max: 300 }))
  const property = fc.property(fc.array(aRun, { maxLength: 20 }), runs => {
    const lengths = runs.flatMap(([length, count]) => Array<number>(count).fill(length))
    assert.deepEqual(read(runLengths(Uint8Array.from(lengths))), lengths)
  })
  fc.assert(property, { seed: 4, numRuns: 200 })
})

test('a long run takes few symbols', () => {
  assert.equal(runLengths(new Uint8Array(1304)).length, 10)
  assert.equal(runLengths(new Uint8Array(256).fill(8)).length, 43)
})
