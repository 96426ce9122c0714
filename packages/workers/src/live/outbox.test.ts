import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Writable } from 'node:stream'
import { test } from 'node:test'
import { Outbox } from './outbox.ts'

test('a channel from which nobody takes is given up, and little is kept for it', async () => {
  const stuck = new Writable({ write: () => {} })
  const failed = once(stuck, 'error')
  const outbox = new Outbox(stuck, 1000)
  for (let count = 0; count < 100; count++) outbox.send(Buffer.alloc(100))
  await failed
  assert.ok(stuck.writableLength <= 1100)
})
