import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import Fastify from 'fastify'
import pino from 'pino'
import { addAnswers } from './answers.ts'
import { addArrivals } from './arrivals.ts'

const app = Fastify()
addArrivals(app, { markOf: () => ({ kind: 'none' }) }, pino({ enabled: false }))
addAnswers(app)
const reported: string[] = []
app.answers.onAnswer(({ url }, { statusCode }, ms) => {
  assert.ok(ms >= 0)
  reported.push(`${url} ${statusCode}`)
  app.server.emit('reported')
})
app.get('/whole', async () => ({ all: 'there' }))
app.get('/empty', async (_request, reply) => reply.code(204).send())
app.get('/failed', async () => {
  throw new Error('no')
})
app.get('/streamed', async (_request, reply) => reply.send(Readable.from(['a', 'b'])))
app.get('/raw', async (request, reply) => {
  reply.hijack().raw.end('past Fastify')
  app.answers.notify(request, reply)
  return reply
})

test('listeners are notified of every answer once, whether it is complete, fails, streams or bypasses Fastify', async t => {
  t.after(() => app.close())
  for (const [path, status] of [
    ['/whole', 200],
    ['/empty', 204],
    ['/failed', 500],
    ['/streamed', 200],
    ['/raw', 200],
    ['/nowhere', 404],
  ] as const) {
    const isReported = once(app.server, 'reported')
    await app.inject(path)
    await isReported
    assert.deepEqual(reported.splice(0), [`${path} ${status}`])
  }
})
