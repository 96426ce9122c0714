import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { waitFor } from '../../../testing/wait-for.ts'
import { OpenStreams } from './open-streams.ts'

/** A session of which nothing has come back for so long. */
function silentFor(unansweredMs: number) {
  const stream = new PassThrough()
  stream.on('error', () => {})
  let excused = 0
  const excuse = () => {
    excused++
  }
  const session = { stream, exited: Promise.resolve(0), errors: '', unansweredMs, excuse, close: () => {} }
  return { session, stream, excused: () => excused }
}

test('a stream to a machine that does not answer is ended, unless the machine is paused', async t => {
  const streams = new OpenStreams(id => id === 'paused')
  t.after(() => streams.close())
  const [silent, busy, paused] = [silentFor(60_000), silentFor(5000), silentFor(60_000)]
  streams.add('silent', silent.session)
  streams.add('busy', busy.session)
  streams.add('paused', paused.session)
  await waitFor(() => silent.stream.destroyed && paused.excused() > 0)
  assert.ok(silent.stream.errored && 'code' in silent.stream.errored)
  assert.equal(silent.stream.errored.code, 'UNREACHABLE')
  assert.deepEqual([busy.stream.destroyed, paused.stream.destroyed], [false, false])
  streams.end(id => id === 'busy')
  assert.deepEqual([busy.stream.destroyed, paused.stream.destroyed], [true, false])
})
