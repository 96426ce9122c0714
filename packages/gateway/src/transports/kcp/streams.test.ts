import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { LossyPath } from './testing/lossy-path.ts'
import { startListener } from './testing/start-listener.ts'

const megabyte = 1024 * 1024

test('megabytes arrive intact in both directions despite loss, delay, reordering and duplicates', async t => {
  const { listener, arrivals, connect } = await startListener(t)
  const conditions = { seed: 7, delayMs: 40, jitterMs: 15, loss: 0.1, duplication: 0.05 }
  const path = await LossyPath.to(listener.port, conditions)
  t.after(() => path.close())
  const stream = await connect({ port: path.port })
  const bytes = randomBytes(2 * megabyte)
  stream.end(bytes)
  assert.ok((await buffer(stream)).equals(bytes))
  assert.equal(arrivals.length, 1)
  assert.equal(arrivals[0]?.transport, 'kcp')
  assert.equal(arrivals[0]?.remoteAddress, '127.0.0.1')
})

test('many concurrent peers each get their own bytes, and nothing is left when they leave', async t => {
  const { listener, connect } = await startListener(t)
  await Promise.all(
    Array.from({ length: 25 }, async () => {
      const stream = await connect()
      const bytes = randomBytes(100_000)
      stream.end(bytes)
      assert.ok((await buffer(stream)).equals(bytes))
    }),
  )
  await waitFor(() => listener.counts.peers === 0)
  assert.equal(listener.counts.joined, 25)
})

test('a reader that stops blocks the writer, and both continue when it reads again', async t => {
  const bytes = randomBytes(4 * megabyte)
  let written = 0
  const { connect } = await startListener(t, {
    async welcome({ stream }) {
      for (let at = 0; at < bytes.length; at += 65_536) {
        if (!stream.write(bytes.subarray(at, at + 65_536))) await once(stream, 'drain')
        written = at
      }
      stream.end()
    },
  })
  const stream = await connect()
  await once(stream.pause(), 'readable')
  let before = -1
  await waitFor(() => {
    const still = written > 0 && written === before
    before = written
    return still
  })
  assert.ok(written < 2 * megabyte, `${written} bytes were written to a reader that reads none`)
  assert.ok((await buffer(stream)).equals(bytes))
})

test('ending a stream on either side ends it on the other', async t => {
  const { arrivals, connect, listener } = await startListener(t)
  const first = await connect()
  await waitFor(() => arrivals.length === 1)
  const ended = buffer(first)
  arrivals[0]?.stream.end('so long')
  assert.equal(String(await ended), 'so long')
  await waitFor(() => listener.counts.peers === 0)

  const second = await connect()
  await waitFor(() => arrivals.length === 2)
  second.destroy()
  await waitFor(() => listener.counts.peers === 0)
  assert.ok(arrivals[1]?.stream.destroyed)
})

test('closing the listener ends every stream', async t => {
  const { arrivals, connect, listener } = await startListener(t)
  const streams = await Promise.all([connect(), connect(), connect()])
  await waitFor(() => arrivals.length === 3)
  const closed = Promise.all(streams.map(stream => once(stream.resume(), 'close')))
  await listener.close()
  await closed
  assert.equal(listener.counts.peers, 0)
  assert.ok(arrivals.every(({ stream }) => stream.destroyed))
})

test('a client learns of a restarted listener when it sends its next datagram', async t => {
  const first = await startListener(t)
  const path = await LossyPath.to(first.listener.port)
  t.after(() => path.close())
  const stream = await first.connect({ port: path.port })
  path.cut = true
  const { port } = first.listener
  await first.listener.close()
  await waitFor(() => path.lost > 0)
  const second = await startListener(t, { port })
  path.cut = false
  const closed = once(stream.resume(), 'close')
  stream.write('are you there?')
  await closed
  assert.ok(second.listener.counts.strays > 0)
})
