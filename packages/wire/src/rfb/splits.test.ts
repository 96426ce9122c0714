import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { record } from './testing/recording.ts'
import { wholeSession } from './testing/whole-session.ts'

/** Receives the session cut at the given places, as Buffers that are overwritten afterwards, as a caller may. */
function receiveCut(cuts: readonly number[]) {
  const { client, events, sent } = record()
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

const inOne = receiveCut([])

test('the session that is cut says one of everything', () => {
  const types = new Set(inOne.events.map(({ type }) => type))
  assert.deepEqual([...types].sort(), [
    ...[
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
    ],
    ...['supported', 'update'],
  ])
})

test('a session means the same wherever it is cut in two', () => {
  for (let cut = 1; cut < wholeSession.length; cut++) assert.deepEqual(receiveCut([cut]), inOne, `at ${cut}`)
})

test('a session means the same when each byte comes by itself', () => {
  assert.deepEqual(receiveCut([...wholeSession.keys()]), inOne)
})

test('a session means the same in whatever pieces it comes', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(wholeSession.length - 1)), cuts => {
      assert.deepEqual(receiveCut(cuts), inOne)
    }),
  )
})
