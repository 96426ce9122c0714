import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import { bounded } from './bounded.ts'

const limits = { maxBytes: 10, tooLarge: () => new Error('too large'), signal: new AbortController().signal }

async function* pieces(count: number): AsyncGenerator<Uint8Array> {
  for (let number = 0; number < count; number++) yield Buffer.from('four')
}

test('what is small enough arrives as it is, and more is an error', async () => {
  assert.equal(String(await buffer(bounded(pieces(2), limits))), 'fourfour')
  await assert.rejects(buffer(bounded(pieces(Number.POSITIVE_INFINITY), limits)), /too large/)
})

test('a sender that is silent does not keep the work from ending', async () => {
  const ending = new AbortController()
  const reading = buffer(bounded(new PassThrough(), { ...limits, signal: ending.signal }))
  ending.abort(new Error('the service is stopped'))
  await assert.rejects(reading, /the service is stopped/)
  await assert.rejects(buffer(bounded(pieces(1), { ...limits, signal: ending.signal })), /is stopped/)
})
