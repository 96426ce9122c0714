import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LoggedEvent } from '@sandglass/protocol'
import { isWanted, maxBodyBytes, messageOf } from './message.ts'

const event: LoggedEvent = {
  id: 'evt_000000000001000000000002',
  orgId: 'org',
  type: 'sandbox.deleted',
  time: '2026-11-15T01:02:03.456Z',
  subject: 'sandbox',
  data: { reason: 'expired' },
  reason: null,
  actor: { kind: 'service', id: 'expiry' },
}

test('the body of a message has the event as its data', () => {
  const { id, type, subject, body } = messageOf(event)
  assert.deepEqual([id, type, subject], [event.id, event.type, event.subject])
  assert.deepEqual(JSON.parse(body), { type: event.type, timestamp: event.time, data: event })
})

test('an event that is too large is sent without its data', () => {
  const large = { ...event, data: { text: 'ü'.repeat(10_000) }, reason: 'r'.repeat(30_000) }
  const { body } = messageOf(large)
  assert.ok(Buffer.byteLength(body) < maxBodyBytes)
  const { data } = JSON.parse(body)
  assert.deepEqual([data.id, data.data, data.reason.length, data.truncated], [event.id, {}, 1000, true])
})

test('a filter is a type, or the beginning of types', () => {
  assert.ok(isWanted(null, 'sandbox.created'))
  assert.ok(isWanted(['key.created', 'sandbox.*'], 'sandbox.state.updated'))
  assert.ok(isWanted(['sandbox.created'], 'sandbox.created'))
  assert.ok(!isWanted(['sandbox.created'], 'sandbox.deleted'))
  assert.ok(!isWanted(['sandbox.*'], 'sandboxes.created'))
})
