import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { limitReceived } from './limit-received.ts'

/** A connection to a device that sends so many bytes and ends. */
async function receiving(t: TestContext, bytes: number) {
  const server = createServer(socket => socket.on('error', () => {}).end(Buffer.alloc(bytes, 'x')))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  await once(socket, 'connect')
  return limitReceived(socket)
}

test('what a device has to say to the engine arrives completely', async t => {
  const socket = await receiving(t, 1_000_000)
  await new Promise(setImmediate)
  assert.equal((await buffer(socket)).length, 1_000_000)
})

test('a device that sends the engine more than it ever asks for is disconnected', async t => {
  const socket = await receiving(t, 100_000_000)
  await assert.rejects(buffer(socket), /sent more than 4194304 bytes/)
  assert.ok(socket.bytesRead < 5_000_000)
})
