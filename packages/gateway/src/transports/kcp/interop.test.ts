import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import type { Socket } from 'node:dgram'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { before, type TestContext, test } from 'node:test'
import { installMissing } from '@sandglass/machines/local'
import { freePort } from '@sandglass/machines/testing'
import { KcpStream } from './kcp-stream.ts'
import { clientWindows, deadlines } from './settings.ts'
import { kcptunPackage, runKcptun, unwrap, wrap } from './testing/kcptun.ts'
import { LossyPath } from './testing/lossy-path.ts'
import { dataFrames, frame } from './testing/smux.ts'
import { TimerQueue } from './timer-queue.ts'
import { udpSocket } from './udp.ts'

const conditions = { seed: 11, delayMs: 20, jitterMs: 10, loss: 0.1, duplication: 0.05 }
const bytes = randomBytes(500_000)
const pieces = Array.from({ length: Math.ceil(bytes.length / 8000) }, (_, i) =>
  bytes.subarray(8000 * i, 8000 * (i + 1)),
)

before(() => installMissing([kcptunPackage]))

test('we exchange data with a server of another implementation, despite loss', async t => {
  const echo = createServer(socket => socket.pipe(socket).on('error', () => {})).listen(0, '127.0.0.1')
  await once(echo, 'listening')
  t.after(() => echo.close())
  const port = await freePort()
  const { port: target } = echo.address() as AddressInfo
  t.after(runKcptun('server', ['--listen', `127.0.0.1:${port}`, '--target', `127.0.0.1:${target}`]))
  const path = await LossyPath.to(port, conditions)
  t.after(() => path.close())

  const socket = await bound(t)
  const stream = converse(4711, socket, path.port)
  socket.on('message', datagram => stream.receive(unwrap(datagram)))
  stream.write(frame('open', 3))
  for (const piece of pieces) stream.write(frame('data', 3, piece))
  const came: Buffer[] = []
  for await (const { data } of dataFrames(stream)) {
    came.push(data)
    if (sizeOf(came) >= bytes.length) break
  }
  assert.ok(Buffer.concat(came).equals(bytes))
})

test('we exchange data with a client of another implementation, despite loss', async t => {
  const socket = await bound(t)
  const path = await LossyPath.to(socket.address().port, conditions)
  t.after(() => path.close())
  // Open the conversation as a listener does, by the number in the first datagram.
  let stream: KcpStream | undefined
  socket.on('message', (datagram, { port }) => {
    if (!stream) {
      stream = converse(unwrap(datagram).readUInt32LE(), socket, port)
      // The stream ends abruptly with the test.
      echoFrames(stream).catch(() => {})
    }
    stream.receive(unwrap(datagram))
  })
  const port = await freePort()
  t.after(runKcptun('client', ['--localaddr', `127.0.0.1:${port}`, '--remoteaddr', `127.0.0.1:${path.port}`]))

  const tcp = await dial(port)
  try {
    tcp.write(bytes)
    const came: Buffer[] = []
    for await (const data of tcp) {
      came.push(data)
      if (sizeOf(came) >= bytes.length) break
    }
    assert.ok(Buffer.concat(came).equals(bytes))
  } finally {
    tcp.destroy()
    stream?.destroy()
  }
})

const sizeOf = (chunks: readonly Buffer[]) => chunks.reduce((sum, { length }) => sum + length, 0)

async function bound(t: TestContext): Promise<Socket> {
  const socket = udpSocket('127.0.0.1')
  const listening = once(socket, 'listening')
  socket.bind(0, '127.0.0.1')
  await listening
  t.after(() => socket.close())
  return socket
}

function converse(conv: number, socket: Socket, port: number): KcpStream {
  const send = (datagram: Uint8Array) => socket.send(wrap(datagram), port, '127.0.0.1', () => {})
  return new KcpStream({ conv, send, timerQueue: new TimerQueue(), deadlines, windows: clientWindows })
}

async function echoFrames(stream: KcpStream): Promise<void> {
  for await (const { stream: id, data } of dataFrames(stream)) stream.write(frame('data', id, data))
}

/** Retries until the program listens on its port. */
async function dial(port: number): Promise<ReturnType<typeof connect>> {
  for (;;) {
    const socket = connect(port, '127.0.0.1')
    try {
      await once(socket, 'connect')
      return socket
    } catch {
      await new Promise(done => setTimeout(done, 20))
    }
  }
}
