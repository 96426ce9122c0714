import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, get, type IncomingMessage } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net'
import { after, test } from 'node:test'
import { ApiError } from '@sandglass/protocol'
import { Pool } from 'undici'
import { ChunkPace } from './chunk-pace.ts'
import { Relay } from './relay.ts'

const refused = new ApiError('mapping.BAD_ANSWER')

async function portOf(server: Server): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return (server.address() as AddressInfo).port
}

test('small chunks are free up to a burst, then limited per second, and large chunks are always free', () => {
  const pace = new ChunkPace(0)
  for (let chunk = 0; chunk < 2000; chunk++) assert.equal(pace.pauseAfter(1, 0), 0)
  assert.ok(pace.pauseAfter(1, 0) > 0)
  assert.equal(pace.pauseAfter(65_536, 0), 0)
  for (let chunk = 0; chunk < 19; chunk++) assert.equal(pace.pauseAfter(1, 1), 0)
  assert.ok(pace.pauseAfter(1, 1) > 0)
  assert.equal(pace.pauseAfter(1, 10_000), 0)
})

test('a program that answers in chunks of one byte is slowed down, and its answer arrives whole in few writes', async () => {
  const size = 20_000
  const letters = Array.from({ length: size }, (_, at) => String.fromCharCode(97 + (at % 26)))
  const program = createTcpServer(socket => {
    socket.on('error', () => {})
    socket.once('data', () => {
      socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n')
      socket.write(`${letters.map(letter => `1\r\n${letter}\r\n`).join('')}0\r\n\r\n`)
    })
  })
  const upstream = new Pool(`http://127.0.0.1:${await portOf(program)}`)
  let writes = 0
  const front = createServer((request, response) => {
    const write = response.write.bind(response)
    response.write = (chunk: unknown) => {
      writes++
      return write(chunk)
    }
    new Relay(request, response, {
      upstream,
      url: '/',
      headers: [],
      pace: new ChunkPace(),
      toClient: () => [],
      faultOf: () => refused,
      refuse: () => response.destroy(),
      onUse: () => {},
      onEnd: () => {},
    }).start()
  })
  const port = await portOf(front)
  after(async () => {
    front.close()
    await upstream.destroy()
    program.close()
  })

  const startedAt = performance.now()
  const [answer] = (await once(get({ port, host: '127.0.0.1', agent: false }), 'response')) as [
    IncomingMessage,
  ]
  let text = ''
  for await (const chunk of answer) text += chunk
  assert.equal(text, letters.join(''))
  assert.ok(
    performance.now() - startedAt > 800,
    'at most 20,000 small chunks pass per second after the burst',
  )
  assert.ok(writes < size / 4, `there were ${writes} writes`)
})
