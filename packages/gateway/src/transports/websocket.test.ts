import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { after, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { waitFor } from '@sandglass/machines/testing'
import { WebSocket } from 'ws'
import type { Arrival } from './arrival.ts'
import { WebSocketListener } from './websocket.ts'

const arrivals: Arrival[] = []
const listener = new WebSocketListener(
  arrival => arrivals.push(arrival),
  () => '192.0.2.7',
)
const server = createServer()
server.on('upgrade', (request, socket, head) => {
  assert.ok(socket instanceof Socket && listener.claims(request))
  listener.upgrade(request, socket, head)
})
await once(server.listen(0, '127.0.0.1'), 'listening')
const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`
after(() => {
  server.close()
  server.closeAllConnections()
  for (const { stream } of arrivals) stream.destroy()
})

async function connected(): Promise<{ peer: WebSocket; stream: Duplex }> {
  const peer = new WebSocket(`${url}/live?x=1`)
  await once(peer, 'open')
  const arrival = arrivals.at(-1)
  assert.ok(arrival)
  assert.deepEqual([arrival.transport, arrival.remoteAddress], ['websocket', '192.0.2.7'])
  return { peer, stream: arrival.stream }
}

test('messages form one byte stream in each direction, however they are split', async () => {
  const { peer, stream } = await connected()
  for (const message of [Buffer.from([1, 2]), 'abc', Buffer.alloc(0), Buffer.from([3])]) peer.send(message)
  let came = ''
  for await (const chunk of stream.iterator({ destroyOnReturn: false })) {
    came += chunk.toString('latin1')
    if (came.length === 6) break
  }
  assert.equal(came, '\u0001\u0002abc\u0003')
  stream.write(Buffer.from('hello'))
  const [said, isBinary] = await once(peer, 'message')
  assert.deepEqual([String(said), isBinary], ['hello', true])
})

test('when either side ends, so does the other', async () => {
  const first = await connected()
  first.stream.resume()
  first.peer.close()
  await once(first.stream, 'close')
  const second = await connected()
  second.stream.resume().end('bye')
  assert.equal(String((await once(second.peer, 'message'))[0]), 'bye')
  await once(second.peer, 'close')
  const third = await connected()
  third.stream.resume()
  third.peer.terminate()
  await once(third.stream, 'close')
})

test('a message that is too long ends the connection', async () => {
  const { peer, stream } = await connected()
  stream.resume()
  peer.on('error', () => {})
  peer.send(Buffer.alloc(3 * 1024 * 1024))
  await new Promise(resolve => stream.once('close', resolve))
})

test('a peer that does not read stops the writer, and an unread stream stops the peer', async () => {
  const { peer, stream } = await connected()
  peer.pause()
  const chunk = Buffer.alloc(64 * 1024)
  let writes = 0
  while (stream.write(chunk) && ++writes < 1000) await turn()
  assert.ok(writes < 1000, 'the stream says when to stop')
  peer.resume()
  await once(stream, 'drain')
  stream.pause()
  for (let count = 0; count < 400; count++) peer.send(chunk)
  await once(stream, 'readable')
  let [before, left] = [-1, peer.bufferedAmount]
  // The transfer has stopped when nothing more was accepted for a while.
  await waitFor(() => {
    before = left
    left = peer.bufferedAmount
    return left === before
  })
  assert.ok(stream.readableLength < 4 * 1024 * 1024, String(stream.readableLength))
  assert.ok(peer.bufferedAmount > 0)
})

test('other paths and plain requests are not claimed', () => {
  const claims = (url: string, upgrade?: string) =>
    listener.claims({ url, headers: upgrade === undefined ? {} : { upgrade } })
  assert.ok(claims('/live', 'WebSocket') && claims('/live?a=b', 'websocket'))
  assert.ok(!claims('/live') && !claims('/lively', 'websocket') && !claims('/live/', 'websocket'))
})
