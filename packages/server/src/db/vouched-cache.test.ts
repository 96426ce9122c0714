import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VouchedCache } from './vouched-cache.ts'

const listening = { isFresh: () => true }
const deaf = { isFresh: () => false }

function counted(value: string) {
  const find = async () => {
    find.calls++
    return value
  }
  find.calls = 0
  return find
}

test('an answer is remembered while the listener hears', async () => {
  const cache = new VouchedCache<string>()
  const find = counted('me')
  for (let i = 0; i < 3; i++) assert.equal(await cache.get('k', listening, find), 'me')
  assert.equal(find.calls, 1)
})

test('nothing is remembered, nor recalled, while it does not', async () => {
  const cache = new VouchedCache<string>()
  const find = counted('me')
  await cache.get('k', listening, find)
  await cache.get('k', deaf, find)
  await cache.get('k', deaf, find)
  assert.equal(find.calls, 3)
})

test('what is announced as changed is forgotten, also when it is being read', async () => {
  const cache = new VouchedCache<string>()
  const find = counted('old')
  await cache.get('k', listening, async () => {
    cache.forget('k')
    return 'read before the change'
  })
  await cache.get('k', listening, find)
  assert.equal(find.calls, 1)
  cache.forgetAll()
  await cache.get('k', listening, find)
  assert.equal(find.calls, 2)
})

test('an unknown credential is asked for each time', async () => {
  const cache = new VouchedCache<string | undefined>()
  let calls = 0
  const find = async () => {
    calls++
    return undefined
  }
  await cache.get('k', listening, find)
  await cache.get('k', listening, find)
  assert.equal(calls, 2)
})
