import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { Duplex } from 'node:stream'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { graceMs, leadMs, renewedAtAgeMs } from '../../certificate/timeline.ts'
import { startQuic } from '../../testing/quic-service.ts'

async function isAnswered(stream: Duplex): Promise<boolean> {
  stream.write('?')
  const [first] = await Promise.race([once(stream, 'data'), once(stream, 'end')])
  return String(first) === '?'
}

test('during a rotation the old hash is valid at its port, and the new one at another port', async () => {
  // The peers use the real time, at which both certificates are valid.
  let nowMs = Date.now() - renewedAtAgeMs
  const { listener, certificates, connect, port } = await startQuic({ now: () => nowMs })
  const former = { port, certificateHashBase64: certificates.current.hashBase64 }
  const early = await connect(former)
  assert.ok(await isAnswered(early))

  nowMs += renewedAtAgeMs
  await certificates.refresh()
  await waitFor(async () => listener.pids.length === 2)
  assert.equal(listener.port, former.port)

  nowMs += leadMs
  await certificates.refresh()
  await waitFor(async () => listener.port !== undefined)
  assert.ok(listener.port && listener.port !== former.port)
  const next = { port: listener.port, certificateHashBase64: certificates.current.hashBase64 }
  assert.ok(await isAnswered(await connect(former)))
  assert.ok(await isAnswered(await connect(next)))
  await assert.rejects(connect({ ...next, certificateHashBase64: former.certificateHashBase64 }))

  nowMs += graceMs
  await certificates.refresh()
  await waitFor(async () => !(await connect(former).then(isAnswered, () => false)))
  assert.ok(await isAnswered(early), 'a peer that had come before stays')
  assert.ok(await isAnswered(await connect(next)))
  early.destroy()
})
