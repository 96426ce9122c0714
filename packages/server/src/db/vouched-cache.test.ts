import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VouchedCache } from './vouched-cache.ts'

const connected = { isFresh: () => true }
const disconnected = { isFresh: () => false }

function counted(value: string) {
  const find = async () => {
    find.calls++
    return value
  }
  find.calls = 0
  return find
}

test('a value is cached while the listener is connected', async () => {
  const cache = new VouchedCache<string>()
  const find = counted('me')
  for (let i = 0; i < 3; i++) assert.equal(await cache.get('k', connected, find), 'me')
  assert.equal(find.calls, 1)
})

test('nothing is cached or read from the cache while the listener is disconnected', async () => {
  const cache = new VouchedCache<string>()
  const find = counted('me')
  await cache.get('k', connected, find)
  await cache.get('k', disconnected, find)
  await cache.get('k', disconnected, find)
  assert.equal(find.calls, 3)
})

test('a value that is announced as changed is evicted, even if it is being read at that moment', async () => {
  const cache = new VouchedCache<string>()
  const find = counted('old')
  await cache.get('k', connected, async () => {
    cache.forget('k')
    return 'read before the change'
  })
  await cache.get('k', connected, find)
  assert.equal(find.calls, 1)
  cache.forgetAll()
  await cache.get('k', connected, find)
  assert.equal(find.calls, 2)
})

test('an unknown credential is looked up each time', async () => {
  const cache = new VouchedCache<string | undefined>()
  let calls = 0
  const find = async () => {
    calls++
    return undefined
  }
  await cache.get('k', connected, find)
  await cache.get('k', connected, find)
  assert.equal(calls, 2)
})
