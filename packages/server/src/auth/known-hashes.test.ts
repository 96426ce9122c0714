import assert from 'node:assert/strict'
import { test } from 'node:test'
import { KnownHashes } from './known-hashes.ts'
import { hexHashOf } from './secret.ts'

test('a credential has the same hash whether it is known or not', () => {
  const hashes = new KnownHashes()
  const before = hashes.of('sgk_one')
  hashes.remember('sgk_one', before)
  assert.equal(hashes.of('sgk_one'), hexHashOf('sgk_one'))
  assert.notEqual(hashes.of('sgk_other'), before)
})

test('the number of remembered hashes is limited', () => {
  const hashes = new KnownHashes()
  // No credential has the hash "remembered", so it shows which entries were kept.
  for (let key = 0; key < 20_000; key++) hashes.remember(`sgk_${key}`, 'remembered')
  const known = Array.from({ length: 20_000 }, (_, key) => hashes.of(`sgk_${key}`) === 'remembered')
  assert.equal(known.filter(Boolean).length, 10_000)
  assert.ok(known.at(-1))
})
