import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type TestContext, test } from 'node:test'
import { connect as connectTls, type SecureVersion } from 'node:tls'
import { waitFor } from '@sandglass/machines/testing'
import { isHandshake } from './handshake.ts'
import { KcpStream } from './kcp-stream.ts'
import { clientWindows, deadlines } from './settings.ts'
import { testCertificate } from './testing/certificate.ts'
import { RawClient } from './testing/raw-client.ts'
import { startListener, testListenerCertificate } from './testing/start-listener.ts'
import { TimerQueue } from './timer-queue.ts'

test('a certificate that the listener does not have is refused', async t => {
  const { listener, connect } = await startListener(t)
  const { hash } = await testCertificate()
  await assert.rejects(connect({ certificateHashBase64: hash }), /no certificate with this hash/)
  await assert.rejects(connect({ certificateHashBase64: 'short' }), /no certificate with this hash/)
  assert.equal(listener.counts.joined, 0)
})

test('a certificate with another hash is refused, and the conversation ends', async t => {
  const { listener, connect } = await startListener(t)
  const named = Buffer.from(testListenerCertificate.hash, 'base64')
  const alike = Buffer.concat([named.subarray(0, 31), Buffer.of(named.readUInt8(31) ^ 1)])
  await assert.rejects(
    connect({ certificateHashBase64: alike.toString('base64') }),
    /hash is .* was expected/,
  )
  assert.equal(listener.counts.joined, 1)
  await waitFor(() => listener.counts.peers === 0)
})

test('each client gets the certificate that it pins while it is served', async t => {
  const [first, second] = [await testCertificate(), await testCertificate()]
  let served = [first]
  const { connect } = await startListener(t, { certificates: () => served })
  const before = await connect({ certificateHashBase64: first.hash })
  served = [first, second]
  await connect({ certificateHashBase64: first.hash })
  await connect({ certificateHashBase64: second.hash })
  served = [second]
  await connect({ certificateHashBase64: second.hash })
  await assert.rejects(connect({ certificateHashBase64: first.hash }), /no certificate with this hash/)
  before.write('still here')
  assert.equal(String((await once(before, 'data'))[0]), 'still here')
})

test('TLS 1.2 is refused and TLS 1.3 is accepted', async t => {
  const { listener, arrivals } = await startListener(t)
  await assert.rejects(speakTls(t, listener.port, 'TLSv1.2'), /version/)
  assert.equal(arrivals.length, 0)
  assert.equal(await speakTls(t, listener.port, 'TLSv1.3'), 'TLSv1.3')
})

test('connecting to a silent port ends with the signal or the deadline', async t => {
  const silent = await RawClient.to(9, t)
  const { port } = silent.socket.address()
  const target = { port, deadlines: { handshakeMs: 300 } }
  const { connect } = await startListener(t)
  await assert.rejects(connect(target))
  await assert.rejects(connect({ port, signal: AbortSignal.abort(new Error('enough')) }), /enough/)
  const soon = new AbortController()
  const refused = assert.rejects(connect({ port, signal: soon.signal }))
  soon.abort()
  await refused
})

async function speakTls(t: TestContext, port: number, version: SecureVersion): Promise<string | null> {
  const client = await RawClient.to(port, t)
  const conv = await client.join()
  const send = (datagram: Uint8Array) => client.send(datagram)
  const stream = new KcpStream({
    conv,
    send,
    timerQueue: new TimerQueue(),
    deadlines,
    windows: clientWindows,
  })
  client.socket.on('message', datagram => {
    if (isHandshake(datagram)) stream.peerLeft()
    else stream.receive(datagram)
  })
  const secure = connectTls({
    socket: stream,
    minVersion: version,
    maxVersion: version,
    rejectUnauthorized: false,
  })
  try {
    await once(secure, 'secureConnect')
    return secure.getProtocol()
  } finally {
    stream.destroy()
  }
}
