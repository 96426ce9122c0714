import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { maxTurnMs, StartTurns } from './start-turns.ts'

/** Starts that have begun, each with what ends it. */
function starts(turns: StartTurns) {
  const begun: { readonly name: string; readonly end: PromiseWithResolvers<void> }[] = []
  const begin = (name: string) =>
    turns.during(() => {
      const end = Promise.withResolvers<void>()
      begun.push({ name, end })
      return end.promise
    })
  return { begun, begin, names: () => begun.map(({ name }) => name).join(' ') }
}

test('so many machines start at once, and the others in the order in which they came', async () => {
  const { begun, begin, names } = starts(new StartTurns(2))
  const all = ['a', 'b', 'c', 'd'].map(begin)
  assert.equal(names(), 'a b')
  begun[1]?.end.resolve()
  await setImmediate()
  assert.equal(names(), 'a b c')
  begun[0]?.end.resolve()
  await setImmediate()
  assert.equal(names(), 'a b c d')
  for (const { end } of begun) end.resolve()
  await Promise.all(all)
})

test('a machine that fails to start makes room for the next', async () => {
  const { begun, begin, names } = starts(new StartTurns(1))
  const [failing, next] = [begin('a'), begin('b')]
  begun[0]?.end.reject(new Error('it did not start'))
  await assert.rejects(failing, /did not start/)
  await setImmediate()
  assert.equal(names(), 'a b')
  begun[1]?.end.resolve()
  await next
})

test('a machine that hangs while it starts keeps nobody waiting for long, and is counted once', async context => {
  mock.timers.enable({ apis: ['setTimeout'] })
  context.after(() => mock.timers.reset())
  const { begun, begin, names } = starts(new StartTurns(1))
  const all = ['a', 'b', 'c'].map(begin)
  mock.timers.tick(maxTurnMs)
  await setImmediate()
  assert.equal(names(), 'a b')
  begun[0]?.end.resolve()
  await setImmediate()
  assert.equal(names(), 'a b')
  begun[1]?.end.resolve()
  await setImmediate()
  assert.equal(names(), 'a b c')
  begun[2]?.end.resolve()
  await Promise.all(all)
})
