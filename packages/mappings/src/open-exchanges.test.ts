import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Exchange, OpenExchanges } from './open-exchanges.ts'

const limits = { perMapping: 2, total: 3, idleMs: 1000, waitMs: 100 }

function exchange(
  mapping: string,
  activeAt: number,
  isWaiting = false,
  waitMs?: number,
): Exchange & { ends: string[] } {
  const ends: string[] = []
  return {
    mapping,
    activeAt,
    isWaiting,
    waitMs,
    ends,
    cut: () => ends.push('cut'),
    giveUp: () => ends.push('gave up'),
  }
}

test('the limits per mapping and in total are enforced', () => {
  const open = new OpenExchanges(limits)
  const [first, second] = [exchange('a', 0), exchange('a', 0)]
  for (const one of [first, second]) {
    open.requireCapacity('a')
    open.add(one)
  }
  assert.throws(() => open.requireCapacity('a'), { code: 'mapping.BUSY', retryAfter: 1 })
  open.requireCapacity('b')
  open.add(exchange('b', 0))
  assert.throws(() => open.requireCapacity('c'), { code: 'mapping.BUSY' })
  for (let i = 0; i < 2; i++) open.remove(first)
  assert.equal(open.total, 2, 'an exchange that ends twice is counted once')
  open.requireCapacity('a')
})

test('idle exchanges are cut, and clients of guests that never respond get a response', () => {
  const open = new OpenExchanges(limits)
  const all = [exchange('a', 950), exchange('b', 0), exchange('c', 950, true)] as const
  for (const one of all) open.add(one)
  open.endIdle(1049)
  assert.deepEqual(
    all.map(({ ends }) => ends),
    [[], ['cut'], []],
  )
  open.endIdle(1051)
  assert.deepEqual(all[2].ends, ['gave up'])
})

test('a guest whose mapping has a time of its own gets that time', () => {
  const open = new OpenExchanges(limits)
  const [patient, hasty] = [exchange('a', 0, true, 500), exchange('b', 0, true, 10)]
  for (const one of [patient, hasty]) open.add(one)
  open.endIdle(11)
  open.endIdle(499)
  assert.deepEqual(patient.ends, [])
  assert.equal(hasty.ends[0], 'gave up')
  open.endIdle(501)
  assert.deepEqual(patient.ends, ['gave up'])
})
