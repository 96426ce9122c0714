import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import type { ExecSession } from '../client/exec/index.ts'
import type { PreparedInstance } from './prepared-instance.ts'
import type { PreparedKind } from './prepared-kind.ts'
import { Stocks } from './stocks.ts'

const kind = (memoryMiB: number): PreparedKind => ({
  fingerprint: 'f',
  spec: { image: 'minimal', cpus: 1, memoryMiB, pids: 100, diskMiB: 100 },
})
const unused: ExecSession = {
  stream: new PassThrough(),
  exited: Promise.resolve(undefined),
  errors: '',
  unansweredMs: 0,
  excuse: () => {},
  close: () => {},
}
let made = 0
const one = (): PreparedInstance => ({
  name: `p-${++made}`,
  member: 'a',
  link: undefined,
  preparedAtMs: 0,
  session: unused,
})
const nothing = async () => {}

/** Fills the stocks as far as they want to be, and returns how many there are of a kind. */
function filled(stocks: Stocks, of: PreparedKind, members = 3): number {
  for (let short = stocks.short(members); short; short = stocks.short(members)) stocks.add(short, one())
  return stocks.of(of).length
}

test('nothing is prepared of a kind that nobody has wanted, and one per member of one that somebody has', async () => {
  const stocks = new Stocks()
  assert.equal(stocks.short(3), undefined)
  await stocks.during(kind(1), nothing)
  assert.equal(filled(stocks, kind(1)), 3)
  assert.equal(filled(stocks, kind(1), 1000), 4, 'not one on each of a thousand members')
})

test('as many are kept as were wanted at once, which is forgotten slowly', async () => {
  const stocks = new Stocks()
  const over = Promise.withResolvers<void>()
  const crowd = Array.from({ length: 6 }, () => stocks.during(kind(1), () => over.promise))
  over.resolve()
  await Promise.all(crowd)
  assert.deepEqual(
    stocks.shrink(() => true),
    [],
  )
  assert.equal(filled(stocks, kind(1)), 6)
  await stocks.during(kind(1), nothing)
  for (const used of stocks.of(kind(1)).slice(0, 2)) stocks.remove(used)
  stocks.shrink(() => true)
  assert.equal(filled(stocks, kind(1)), 5)
})

test('only the kinds that were wanted last are kept, and none that is too old', async () => {
  const stocks = new Stocks()
  for (const memoryMiB of [1, 2, 3]) {
    await stocks.during(kind(memoryMiB), nothing)
    filled(stocks, kind(memoryMiB))
  }
  assert.equal(stocks.shrink(() => true).length, 3, 'the first kind')
  assert.deepEqual(
    [1, 2, 3].map(memoryMiB => stocks.of(kind(memoryMiB)).length),
    [0, 3, 3],
  )
  const old = stocks.of(kind(2))[0]
  assert.deepEqual(
    stocks.shrink(each => each !== old),
    [old],
  )
  assert.equal(stocks.clear().length, 5)
})
