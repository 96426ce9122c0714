import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { type RawData, WebSocket, WebSocketServer } from 'ws'
import { cleanup } from '../../packages/server/src/testing/cleanup.ts'
import { resolveNamesToLoopback } from '../../packages/server/src/testing/names.ts'
import { startTestService } from '../../packages/server/src/testing/test-service.ts'
import { dialerOf } from '../support/mapped-program.ts'
import { paperEngines } from '../support/paper-engine.ts'
import { sharedDatabase } from '../support/shared-database.ts'

resolveNamesToLoopback()
const { env: database } = await sharedDatabase()
const env = { ...database, SANDGLASS_MAPPING_DOMAIN: 'apps.test' }

/** Stands in for the program in the sandbox, and echoes WebSocket messages. */
const program = createServer()
const sockets = new WebSocketServer({ server: program })
sockets.on('connection', socket =>
  socket.on('message', (data, isBinary) => socket.send(data, { binary: isBinary })),
)
const dial = await dialerOf(program)
cleanup.defer(() => {
  for (const client of sockets.clients) client.terminate()
})

const owner = await startTestService(env, async () => paperEngines({ dial }))
const front = await startTestService(env)
const { body: sandbox } = await owner.post('~/sandboxes', { shape: 'linux-desktop' })
await waitFor(async () => (await front.get(`~/sandboxes/${sandbox.id}/status`)).body.status === 'RUNNING')
const mappings = `~/sandboxes/${sandbox.id}/mappings`
const { body: mapping } = await owner.post(mappings, { targetEndpoint: 'localhost:3000' })

async function open(suffix = '', headers: Record<string, string> = {}): Promise<WebSocket> {
  const { port } = new URL(front.service.url)
  const socket = new WebSocket(`ws://${mapping.domain}:${port}/socket${suffix}`, { headers })
  cleanup.defer(() => socket.terminate())
  await once(socket, 'open')
  return socket
}

async function echoed(socket: WebSocket, data: Buffer): Promise<Buffer> {
  socket.send(data)
  const [answer] = (await once(socket, 'message')) as [RawData]
  return answer as Buffer
}

const token = { 'x-sandglass-mapping-token': mapping.accessToken }

test('WebSocket messages of any size reach a sandbox through a process without its machine', async () => {
  const socket = await open('', token)
  for (const size of [1, 1000, 5_000_000]) {
    const data = randomBytes(size)
    assert.ok(data.equals(await echoed(socket, data)))
  }
  socket.close(4321, 'enough')
  const [code] = await once(socket, 'close')
  assert.equal(code, 4321, 'the program itself answered the close frame')
})

test('a link with the token also opens a WebSocket through another process', async () => {
  const socket = await open(`?sandglass_token=${mapping.accessToken}&x=1`)
  assert.equal(String(await echoed(socket, Buffer.from('hello'))), 'hello')
  socket.terminate()
  await waitFor(async () => sockets.clients.size === 0)
})

test('a WebSocket is closed when the process with the machine stops, and new ones are refused with a 503', async () => {
  const socket = await open('', token)
  await owner.service.close()
  if (socket.readyState !== WebSocket.CLOSED) await once(socket, 'close')
  const { port } = new URL(front.service.url)
  await waitFor(async () => {
    const again = new WebSocket(`ws://${mapping.domain}:${port}/socket`, { headers: token })
    again.on('error', () => {})
    const [, answer] = await once(again, 'unexpected-response')
    again.terminate()
    return answer.statusCode === 503 && answer.headers['retry-after'] !== undefined
  })
})
