import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import type { Duplex } from 'node:stream'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { startLossyProxy } from '../../testing/lossy-proxy.ts'
import { startQuic } from '../../testing/quic-service.ts'
import type { Arrival } from '../arrival.ts'

const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

/** Sends bytes, ends the stream, and returns all that came back. */
async function exchange(stream: Duplex, bytes: Buffer): Promise<Buffer> {
  stream.end(bytes)
  return Buffer.concat(await stream.toArray())
}

const rssOf = async (pid: number) =>
  Number(/VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024

test('a peer over QUIC is relayed with its address, in both directions to the end', async () => {
  const arrivals: Arrival[] = []
  const { connect } = await startQuic({
    welcome: arrival => {
      arrivals.push(arrival)
      arrival.stream.pipe(arrival.stream)
    },
  })
  const bytes = randomBytes(8_000_000)
  assert.equal(digest(await exchange(await connect(), bytes)), digest(bytes))
  assert.deepEqual(
    arrivals.map(({ transport, remoteAddress }) => ({ transport, remoteAddress })),
    [{ transport: 'quic', remoteAddress: '127.0.0.1' }],
  )
  await waitFor(async () => arrivals.every(({ stream }) => stream.destroyed))
})

test('megabytes arrive intact in both directions over a network with delay and 10% loss', async () => {
  const { port, connect } = await startQuic()
  const proxy = await startLossyProxy({ port, lostOfTen: 1, delayMs: 40 })
  const bytes = randomBytes(2_000_000)
  const returned = await exchange(await connect({ port: proxy.port }), bytes)
  assert.equal(digest(returned), digest(bytes))
  assert.ok(proxy.lost > proxy.carried / 20, `${proxy.lost} of ${proxy.carried} were lost`)
})

test('a wrong hash and a wrong ALPN are refused, and the next peer is accepted', async () => {
  const arrivals: Arrival[] = []
  const { connect } = await startQuic({
    welcome: arrival => {
      arrivals.push(arrival)
      arrival.stream.pipe(arrival.stream)
    },
  })
  const certificateHashBase64 = Buffer.alloc(32, 1).toString('base64')
  await assert.rejects(connect({ certificateHashBase64 }), /invalid peer certificate/)
  await assert.rejects(connect({ alpn: 'another' }), /doesn't support any known protocol/)
  assert.equal(arrivals.length, 0)
  assert.equal(String(await exchange(await connect(), Buffer.from('hello'))), 'hello')
})

test('a flood of garbage disconnects nobody and keeps nobody out', async () => {
  const { port, listener, connect } = await startQuic()
  const [pid = 0] = listener.pids
  const before = await connect()
  const socket = createSocket('udp4')
  const sent: Promise<unknown>[] = []
  for (let count = 0; count < 5_000; count++) {
    const bytes = randomBytes(1_200)
    // Half of them look like the first packet of a connection, with a long header of version 1.
    if (count % 2) bytes.set([0xc0, 0, 0, 0, 1, 8], 0)
    sent.push(new Promise(resolve => socket.send(bytes, port, '127.0.0.1', resolve)))
  }
  await Promise.all(sent)
  socket.close()
  assert.equal(String(await exchange(before, Buffer.from('still there'))), 'still there')
  assert.equal(String(await exchange(await connect(), Buffer.from('welcome'))), 'welcome')
  assert.deepEqual(listener.pids, [pid])
})

test('the data queued for a peer that does not read is bounded', async () => {
  let written = 0
  const { listener, connect } = await startQuic({
    welcome: ({ stream }) => {
      const chunk = Buffer.alloc(65_536, 1)
      const fill = () => {
        while (stream.write(chunk)) written += chunk.length
        stream.once('drain', fill)
      }
      fill()
    },
  })
  const [pid = 0] = listener.pids
  const before = await rssOf(pid)
  const stream = await connect()
  stream.write('x')
  await waitFor(async () => written > 0)
  let last = -1
  // The transfer has stopped when nothing more was accepted for a while.
  await waitFor(async () => {
    const isHalted = last === written
    last = written
    if (!isHalted) await new Promise(resolve => setTimeout(resolve, 500))
    return isHalted
  })
  const grown = (await rssOf(pid)) - before
  assert.ok(written < 16_000_000, `${written} bytes were taken`)
  assert.ok(grown < 48_000_000, `the relay grew by ${grown} bytes`)
  stream.destroy()
})

test('a service that does not read stops the peer from sending', async () => {
  const { promise: arrived, resolve } = Promise.withResolvers<Duplex>()
  const { connect } = await startQuic({ welcome: ({ stream }) => resolve(stream) })
  const stream = await connect()
  let taken = 0
  const chunk = Buffer.alloc(65_536, 1)
  const fill = () => {
    while (stream.write(chunk)) taken += chunk.length
    stream.once('drain', fill)
  }
  fill()
  const peer = await arrived
  let last = -1
  await waitFor(async () => {
    const isHalted = last === taken
    last = taken
    if (!isHalted) await new Promise(done => setTimeout(done, 500))
    return isHalted
  })
  assert.ok(taken < 16_000_000, `${taken} bytes were taken`)
  const before = taken
  peer.resume()
  await waitFor(async () => taken > before)
  stream.destroy()
})

test('connections are limited, and a new one is accepted when another closes', async () => {
  const { connect } = await startQuic({ limits: { connectionsPerAddress: 2 } })
  const open: Duplex[] = []
  const isAccepted = async () => {
    // A refused peer may notice it before it has opened its stream.
    const stream = await connect().catch(() => undefined)
    if (!stream) return false
    stream.write('?')
    const [first] = await Promise.race([once(stream, 'data'), once(stream, 'end')])
    if (first) open.push(stream)
    return first !== undefined
  }
  assert.deepEqual([await isAccepted(), await isAccepted(), await isAccepted()], [true, true, false])
  open[0]?.destroy()
  await waitFor(isAccepted)
})

test('a peer that opens no stream in time is dropped', async () => {
  const { connect } = await startQuic({ limits: { handshakeMs: 10_000 } })
  // The other side sees a stream only once something is sent in it.
  const stream = await connect()
  await once(stream.resume(), 'end')
})

test('a peer that claims to speak HTTP/3 and does not is dropped', async () => {
  const { listener, connect } = await startQuic({ limits: { handshakeMs: 10_000 } })
  const { pids } = listener
  const stream = await connect({ alpn: 'h3' })
  stream.on('error', () => {}).write(randomBytes(100_000))
  await once(stream.resume(), 'end')
  assert.equal(String(await exchange(await connect(), Buffer.from('welcome'))), 'welcome')
  assert.deepEqual(listener.pids, pids)
})

test('a peer that vanishes is dropped after a timeout, and no other peer is affected', async () => {
  const arrivals: Arrival[] = []
  const { listener, connect } = await startQuic({
    limits: { silenceMs: 15_000 },
    welcome: arrival => {
      arrivals.push(arrival)
      arrival.stream.pipe(arrival.stream)
    },
  })
  const { pids } = listener
  for (const first of ['', '?']) {
    const killed = new AbortController()
    const stream = await connect({ signal: killed.signal })
    stream.on('error', () => {})
    if (first) {
      stream.write(first)
      await once(stream, 'data')
    }
    killed.abort()
  }
  await waitFor(async () => arrivals.length === 1 && arrivals.every(({ stream }) => stream.destroyed))
  const next = await connect()
  assert.equal(String(await exchange(next, Buffer.from('welcome'))), 'welcome')
  assert.deepEqual(listener.pids, pids)
})
