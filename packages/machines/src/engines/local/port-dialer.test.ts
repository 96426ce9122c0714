import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { test } from 'node:test'
import { startTimeOf } from './init-process.ts'
import { PortDialer } from './port-dialer.ts'

/** What Node reads at a time: where it gets so much, it asks for more at once. */
const wholeRead = 64 * 1024

test('a program that says exactly what one read takes, and then waits, holds up nobody', async () => {
  const server = createServer(socket => {
    socket.write(Buffer.alloc(wholeRead))
    socket.once('data', () => socket.end())
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const dialer = new PortDialer()
  const { port } = server.address() as AddressInfo
  const own = { pid: process.pid, startTime: (await startTimeOf(process.pid)) ?? '' }
  const socket = await dialer.dial(own, '127.0.0.1', port)
  let size = 0
  socket.on('data', chunk => {
    size += chunk.length
    if (size === wholeRead) setImmediate(() => socket.end('that is all'))
  })
  await once(socket, 'end')
  assert.equal(size, wholeRead)
  dialer.close()
  server.close()
})
