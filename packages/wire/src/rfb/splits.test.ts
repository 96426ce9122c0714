import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { record } from './testing/recording.ts'
import { wholeSession } from './testing/whole-session.ts'

/** Receives the session split at the given positions, in Buffers that are overwritten afterwards, as callers may do. */
function receiveSplit(cuts: readonly number[]) {
  const { client, events, sent } = record({ prefer: 'zrle' })
  const ends = [...new Set(cuts), wholeSession.length].sort((a, b) => a - b)
  let start = 0
  for (const end of ends) {
    const chunk = Buffer.from(wholeSession.subarray(start, end))
    client.receive(chunk)
    chunk.fill(0xee)
    start = end
  }
  client.end()
  return { events, sent: sent(), picture: client.framebuffer }
}

const inOne = receiveSplit([])

test('the session contains every type of event', () => {
  const types = new Set(inOne.events.map(({ type }) => type))
  assert.deepEqual([...types].sort(), [
    'bell',
    'clipboard',
    'clipboard-offer',
    'clipboard-request',
    'continuous-updates-ended',
    'cursor',
    'cut-text',
    'fence',
    'pointer',
    'ready',
    'resize',
    'supported',
    'update',
  ])
})

test('a session has the same effect wherever it is split in two', () => {
  for (let cut = 1; cut < wholeSession.length; cut++)
    assert.deepEqual(receiveSplit([cut]), inOne, `at ${cut}`)
})

test('a session has the same effect when each byte arrives alone', () => {
  assert.deepEqual(receiveSplit([...wholeSession.keys()]), inOne)
})

test('a session has the same effect in pieces of any length', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(wholeSession.length - 1)), cuts => {
      assert.deepEqual(receiveSplit(cuts), inOne)
    }),
  )
})
