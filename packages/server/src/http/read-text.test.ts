import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { cleanup } from '../testing/cleanup.ts'
import { readText } from './read-text.ts'

const limits = { maxBytes: 100 }
const server = createServer((request, response) => {
  server.emit('arrived')
  readText(request, limits, (error, text) => {
    server.emit('read', error?.message ?? text)
    response.end()
  })
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')
cleanup.defer(() => {
  server.closeAllConnections()
  server.close()
})

/** Sends each piece after the server has had a chance to read the one before. */
async function send(head: string, ...pieces: readonly Uint8Array[]): Promise<Socket> {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').setNoDelay()
  cleanup.defer(() => void socket.destroy())
  const arrived = once(server, 'arrived')
  socket.write(`POST / HTTP/1.1\r\nHost: localhost\r\n${head}\r\n\r\n`)
  await arrived
  for (const piece of pieces) {
    socket.write(piece)
    await new Promise(resolve => setImmediate(resolve))
  }
  return socket
}

async function read(): Promise<string> {
  const [text] = await once(server, 'read')
  return text
}

function sendAtOnce(head: string, body: string): void {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  cleanup.defer(() => void socket.destroy())
  socket.write(`POST / HTTP/1.1\r\nHost: localhost\r\n${head}\r\n\r\n${body}`)
}

test('a body that arrived with its headers is read at once', async () => {
  for (const [head, body, text] of [
    ['Content-Length: 4', 'text', 'text'],
    ['Content-Length: 0', '', ''],
    ['Transfer-Encoding: chunked', '2\r\nab\r\n3\r\ncde\r\n0\r\n\r\n', 'abcde'],
  ] as const) {
    const got = read()
    sendAtOnce(head, body)
    assert.equal(await got, text)
  }
})

test('a body in pieces is joined, even if a character was split', async () => {
  const got = read()
  const bytes = Buffer.from('a€b')
  await send(`Content-Length: ${bytes.length}`, bytes.subarray(0, 2), bytes.subarray(2, 3), bytes.subarray(3))
  assert.equal(await got, 'a€b')
})

test('a body that is too large is refused by its declared or its actual length', async () => {
  const large = `65\r\n${'x'.repeat(101)}\r\n`
  const byDeclaredLength = read()
  await send('Content-Length: 101')
  assert.match(await byDeclaredLength, /too large/)
  const byPiece = read()
  await send('Transfer-Encoding: chunked', Buffer.from(large))
  assert.match(await byPiece, /too large/)
  const byWholeBody = read()
  sendAtOnce('Transfer-Encoding: chunked', `${large}0\r\n\r\n`)
  assert.match(await byWholeBody, /too large/)
})

test('a caller who disconnects ends the reading', async () => {
  const got = read()
  const socket = await send('Content-Length: 10', Buffer.from('half'))
  socket.destroy()
  assert.match(await got, /not well-formed/)
})
