import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { Duplex, duplexPair } from 'node:stream'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { ApiError } from '@sandglass/protocol'
import { WebSocket, WebSocketServer } from 'ws'
import { cleanup } from '../../testing/cleanup.ts'
import { TunnelClient } from './testing/tunnel-client.ts'
import { Tunnel } from './tunnel.ts'

const server = new WebSocketServer({ host: '127.0.0.1', port: 0 })
cleanup.defer(() => {
  for (const each of server.clients) each.terminate()
  server.close()
})
await once(server, 'listening')

/** A tunnel to a program that the test plays. */
async function open({ guest, answersPings = true }: { guest?: Duplex; answersPings?: boolean } = {}) {
  const [ours, program] = duplexPair()
  const arrival = once(server, 'connection')
  const { port } = server.address() as AddressInfo
  const client = new TunnelClient(new WebSocket(`ws://127.0.0.1:${port}`, { autoPong: answersPings }))
  const [webSocket] = (await arrival) as [WebSocket]
  let ends = 0
  const tunnel = new Tunnel({
    webSocket,
    guest: guest ?? ours,
    pace: { pauseAfter: () => 0 },
    onBytes: () => {},
    whyLost: async () => new ApiError('tunnel.RESET'),
    onEnd: () => {
      ends++
    },
  })
  if (client.webSocket.readyState !== WebSocket.OPEN) await once(client.webSocket, 'open')
  return { client, program, tunnel, ends: () => ends }
}

const patience = { askEveryMs: 30_000, silentMs: 600_000 }
const inMs = (ms: number) => performance.now() + ms

test('a caller that answers nothing for too long is disconnected', async () => {
  const { client, program, tunnel, ends } = await open({ answersPings: false })
  program.resume()
  const asked = once(client.webSocket, 'ping')
  tunnel.check(patience, inMs(31_000))
  await asked
  tunnel.check(patience, inMs(599_000))
  assert.equal(client.closed, undefined)
  tunnel.check(patience, inMs(601_000))
  assert.equal((await client.untilClosed()).code, 1006)
  await waitFor(async () => program.destroyed || program.readableEnded)
  assert.equal(ends(), 1)
})

test('a caller that answers pings stays, however long it has nothing to send', async () => {
  const { client, program, tunnel } = await open()
  const asked = once(client.webSocket, 'ping')
  tunnel.check(patience, inMs(31_000))
  await asked
  tunnel.check(patience, inMs(500_000))
  program.write('still')
  await waitFor(async () => client.text === 'still')
  client.webSocket.close()
  await client.untilClosed()
})

test('a caller that cannot be read from, because the program does not read, is not taken for silent', async () => {
  const guest = new Duplex({ highWaterMark: 1, read() {}, write() {} })
  const { client, tunnel } = await open({ guest })
  client.send('x')
  await waitFor(async () => guest.writableNeedDrain)
  tunnel.check(patience, inMs(601_000))
  tunnel.close(new ApiError('sandbox.STATE'))
  assert.deepEqual(await client.untilClosed(), { code: 4409, reason: 'sandbox.STATE' })
  assert.ok(guest.destroyed)
})

test('a connection that fails in any way is reported once', async () => {
  const guest = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() })
  const { client, ends } = await open({ guest })
  guest.destroy(new Error('lost'))
  guest.destroy()
  assert.deepEqual(await client.untilClosed(), { code: 4502, reason: 'tunnel.RESET' })
  assert.equal(ends(), 1)
})

test('what the program sent before its end is complete although the caller reads late', async () => {
  const { client, program } = await open()
  client.webSocket.pause()
  const pieces = Array.from({ length: 100 }, (_, at) => Buffer.alloc(40_000, at))
  for (const piece of pieces) program.write(piece)
  program.end('end')
  client.webSocket.resume()
  await waitFor(async () => client.hasEnded)
  assert.ok(Buffer.concat(client.received).equals(Buffer.concat([...pieces, Buffer.from('end')])))
  client.end()
  assert.equal((await client.untilClosed()).code, 1000)
})
