import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { waitFor } from '@sandglass/machines/testing'
import { operation } from '@sandglass/protocol'
import Fastify from 'fastify'
import { z } from 'zod'
import { AuditWriter } from '../audit/writer.ts'
import type { Database } from '../db/database.ts'
import { cleanup } from '../testing/cleanup.ts'
import { addAnswers } from './answers.ts'
import { Api } from './api.ts'
import { addJsonBody, streamOf } from './body.ts'
import { addBodyDeadline } from './body-deadline.ts'
import { LoopTime } from './loop-time.ts'
import { SocketRoutes } from './socket-routes.ts'

const app = Fastify()
addAnswers(app)
addJsonBody(app, { timeoutMs: 1000 })
addBodyDeadline(app, { timeoutMs: 1000, lingerMs: 50 })
app.addHook('onRequest', async request => {
  request.route = request.routeOptions.config
  request.principal = { kind: 'operator', id: 'tester' }
})
// The operations change nothing, so the database is not used.
const db = {} as Database
const api = new Api(app, {
  sockets: new SocketRoutes(),
  db,
  audit: new AuditWriter(async () => []),
  loopTime: new LoopTime(1),
  listener: { caughtUp: async () => {} },
})
const base = { tag: 'Things', summary: '.', method: 'POST', access: { to: 'anyone' } } as const
api.serve(operation({ ...base, id: 'json', path: '/json', body: z.object({}) }), async () => undefined)
api.serve(
  operation({ ...base, id: 'bytes', path: '/bytes', accepts: 'bytes', response: z.string() }),
  async ({ request }) => `got ${await text(streamOf(request))}`,
)
api.serve(
  operation({ ...base, id: 'deaf', path: '/deaf', accepts: 'bytes', response: z.string() }),
  async () => 'no need to send it',
)
api.serve(
  operation({ ...base, id: 'abandoned', path: '/abandoned', accepts: 'bytes', response: z.string() }),
  async ({ request }) => {
    const full = new Writable({ write: (_chunk, _encoding, done) => done(new Error('full')) })
    // The pipeline destroys the body, but the answer must still reach the caller.
    await pipeline(streamOf(request), full).catch(() => {})
    return 'no more of it'
  },
)
await app.listen({ port: 0, host: '127.0.0.1' })
cleanup.defer(() => app.close())

function begin(path: string, length: number): Socket {
  const { port } = app.server.address() as AddressInfo
  const socket = connect(port, '127.0.0.1')
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`,
  )
  return socket
}

test('a JSON body that does not arrive in time gets a 400, and the connection is closed', async () => {
  const socket = begin('/json', 10)
  socket.write('{')
  assert.match(await text(socket), /^HTTP\/1\.1 400 [\s\S]*did not arrive in time/)
})

test('a stream may take longer than the timeout while data keeps arriving', async t => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const arrived = once(app.server, 'request')
  const socket = begin('/bytes', 25)
  const [request]: IncomingMessage[] = await arrived
  assert.ok(request)
  const pieces = async () => {
    for (let i = 0; i < 25; i++) {
      const { bytesRead } = request.socket
      socket.write('x')
      await waitFor(() => request.socket.bytesRead > bytesRead)
      t.mock.timers.tick(1000)
    }
  }
  const [piece] = await Promise.all([socket.take(1).toArray(), pieces()])
  assert.match(String(piece), /^HTTP\/1\.1 200 [\s\S]*got x{25}$/)
  socket.destroy()
})

test('a stream that stalls is ended', async () => {
  const socket = begin('/bytes', 25)
  socket.write('x')
  assert.match(await text(socket), /^HTTP\/1\.1 400 /)
})

test('an unwanted body is accepted only for a moment after the answer', async () => {
  const socket = begin('/deaf', 10)
  assert.match(await text(socket), /^HTTP\/1\.1 200 [\s\S]*no need to send it$/)
})

test('a body that the operation stopped reading is also accepted only for a moment', async () => {
  const socket = begin('/abandoned', 10)
  socket.write('x')
  assert.match(await text(socket), /^HTTP\/1\.1 200 [\s\S]*no more of it$/)
})

test('an aborted body does not affect other requests', async () => {
  for (const path of ['/json', '/bytes', '/deaf', '/abandoned']) {
    const socket = begin(path, 10)
    socket.write('x')
    await once(app.server, 'request')
    socket.destroy()
  }
  // Wait longer than any connection lingers.
  await delay(100)
  const answer = await fetch(`http://127.0.0.1:${(app.server.address() as AddressInfo).port}/bytes`, {
    method: 'POST',
    headers: { 'content-type': 'text/plain' },
    body: 'all of it',
  })
  assert.equal(await answer.text(), 'got all of it')
})
