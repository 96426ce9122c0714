import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { Kcp } from '@sandglass/wire/kcp'
import { decodeHandshake, encodeHandshake } from './handshake.ts'
import { LossyPath } from './testing/lossy-path.ts'
import { RawClient } from './testing/raw-client.ts'
import { startListener } from './testing/start-listener.ts'

const nonce = Buffer.alloc(8, 1)

test('a hello allocates nothing, however many there are', async t => {
  const { listener, connect } = await startListener(t)
  const client = await RawClient.to(listener.port, t)
  for (let i = 0; i < 500; i++) await client.cookie(randomBytes(8))
  assert.deepEqual({ ...listener.counts }, { ...empty, cookies: 500 })
  await connect()
})

test('a cookie is valid only for its own address and nonce', async t => {
  const { listener } = await startListener(t)
  const client = await RawClient.to(listener.port, t)
  const other = await RawClient.to(listener.port, t)
  const refused = { kind: 'refusal', nonce, reason: 'stale' } as const
  const cookie = await client.cookie()
  assert.deepEqual(await other.askToJoin(cookie), refused)
  assert.deepEqual(await client.askToJoin(randomBytes(36)), refused)
  const another = Buffer.alloc(8, 2)
  assert.deepEqual(await client.askToJoin(cookie, another), { ...refused, nonce: another })
  assert.deepEqual({ ...listener.counts }, { ...empty, cookies: 1, refused: 3 })
})

test('an old cookie is refused', async t => {
  const { listener } = await startListener(t, { limits: { cookieLifeMs: -1 } })
  const client = await RawClient.to(listener.port, t)
  const cookie = await client.cookie()
  const refused = { kind: 'refusal', nonce, reason: 'stale' }
  assert.deepEqual(await client.askToJoin(cookie), refused)
  assert.equal(listener.counts.peers, 0)
})

test('a repeated join returns the same conversation', async t => {
  const { listener } = await startListener(t)
  const client = await RawClient.to(listener.port, t)
  const cookie = await client.cookie()
  const first = await client.askToJoin(cookie)
  const again = await client.askToJoin(cookie)
  assert.deepEqual(first, again)
  assert.equal(listener.counts.peers, 1)
})

test('conversations are limited per address and in total', async t => {
  const { listener } = await startListener(t, { limits: { maxPeersPerAddress: 2 } })
  const clients = await Promise.all([1, 2, 3].map(() => RawClient.to(listener.port, t)))
  const [first, second, third] = clients
  await first?.join()
  await second?.join()
  await assert.rejects(async () => await third?.join(), /refusal/)
  assert.equal(listener.counts.peers, 2)

  const small = await startListener(t, { limits: { maxPeers: 1 } })
  await (await RawClient.to(small.listener.port, t)).join()
  await assert.rejects(small.connect(), /max number of conversations/)
})

test('a peer that joins and sends nothing is dropped', async t => {
  const patient = await startListener(t)
  await (await RawClient.to(patient.listener.port, t)).join()
  assert.equal(patient.listener.counts.securing, 1)
  const { listener } = await startListener(t, { deadlines: { handshakeMs: 200 } })
  const client = await RawClient.to(listener.port, t)
  const conv = await client.join()
  assert.deepEqual(decodeHandshake(await client.next()), { kind: 'reset', conv })
  assert.deepEqual({ ...listener.counts }, { ...empty, cookies: 1, joined: 1 })
})

test('a peer that speaks KCP but not TLS is dropped', async t => {
  const { listener, arrivals } = await startListener(t)
  const client = await RawClient.to(listener.port, t)
  const kcp = new Kcp({ conv: await client.join(), send: datagram => client.send(datagram) })
  kcp.write(randomBytes(1000))
  kcp.flush(0)
  await waitFor(() => listener.counts.peers === 0)
  assert.equal(arrivals.length, 0)
})

test('a peer that falls silent is dropped, and an idle one that answers keepalives is not', async t => {
  const deadlines = { keepAliveMs: 100, idleMs: 10_000 }
  const { listener, arrivals, connect } = await startListener(t, { deadlines })
  const path = await LossyPath.to(listener.port)
  t.after(() => path.close())
  const silent = await connect({ port: path.port, deadlines })
  const idle = await connect()
  await waitFor(() => arrivals.length === 2)
  const ended = once(silent, 'error')
  path.cut = true
  assert.match(String((await ended)[0]), /nothing was received from it/)
  await waitFor(() => listener.counts.peers === 1)
  idle.write('here')
  assert.equal(String((await once(idle, 'data'))[0]), 'here')
})

test('garbage from unknown peers gets a smaller response or none, and allocates nothing', async t => {
  const { listener, connect } = await startListener(t)
  const client = await RawClient.to(listener.port, t)
  const answers: Buffer[] = []
  client.socket.on('message', datagram => answers.push(datagram))
  for (let size = 0; size < 600; size++) {
    client.send(randomBytes(size))
    const datagram = Buffer.concat([Buffer.from('SGK1'), randomBytes(size)])
    // Of those with its length, one in 256 is no garbage: it says hello, and is answered with a cookie.
    if (decodeHandshake(datagram)?.kind !== 'hello') client.send(datagram)
    await new Promise(done => setImmediate(done))
  }
  await (await RawClient.to(listener.port, t)).cookie()
  assert.equal(listener.counts.peers, 0)
  assert.ok(answers.length > 0 && answers.every(({ length }) => length === 20))
  await connect()
})

test('a peer that floods with garbage or duplicates is dropped', async t => {
  const { listener } = await startListener(t)
  const same = Buffer.alloc(24)
  same.writeUInt8(83, 4)
  for (const flood of [() => randomBytes(40), () => same]) {
    const client = await RawClient.to(listener.port, t)
    const conv = await client.join(randomBytes(8))
    assert.equal(listener.counts.peers, 1)
    await waitFor(() => {
      for (let i = 0; i < 100; i++) {
        const datagram = flood()
        datagram.writeUInt32LE(conv)
        client.send(datagram)
      }
      return listener.counts.peers === 0
    })
  }
})

test('a reset is accepted only from the peer itself', async t => {
  const { listener } = await startListener(t)
  const client = await RawClient.to(listener.port, t)
  const stranger = await RawClient.to(listener.port, t)
  const conv = await client.join()
  stranger.send(encodeHandshake({ kind: 'reset', conv }))
  await stranger.cookie()
  assert.equal(listener.counts.peers, 1)
  client.send(encodeHandshake({ kind: 'reset', conv }))
  await waitFor(() => listener.counts.peers === 0)
})

const empty = { peers: 0, securing: 0, cookies: 0, joined: 0, refused: 0, strays: 0 }
