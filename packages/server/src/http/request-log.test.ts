import assert from 'node:assert/strict'
import { test } from 'node:test'
import Fastify from 'fastify'
import pino from 'pino'
import { addAnswers } from './answers.ts'
import { addArrivals } from './arrivals.ts'
import { addRequestLog } from './request-log.ts'

test('a log line contains the path of its request, unless the path grants access', async () => {
  const lines: string[] = []
  const app = Fastify()
  const log = pino({ level: 'debug' }, { write: line => void lines.push(line) })
  addArrivals(app, { markOf: () => ({ kind: 'none' }) }, log)
  addAnswers(app)
  addRequestLog(app, log)
  app.get('/open/:name', async () => 'open')
  app.get('/shared/:name', { config: { secretPath: true } }, async () => 'shared')
  await app.inject('/open/plain')
  await app.inject('/shared/unguessable')
  await app.close()
  assert.deepEqual(
    lines.map(line => JSON.parse(line).path),
    ['/open/plain', '/shared/:name'],
  )
  assert.ok(!lines.join('').includes('unguessable'))
})

test('refused requests of unknown callers write a limited number of lines', async context => {
  let now = 1000
  context.mock.method(performance, 'now', () => now)
  const lines: { status?: number; omitted?: number }[] = []
  const app = Fastify()
  const log = pino({ level: 'info' }, { write: line => void lines.push(JSON.parse(line)) })
  addArrivals(app, { markOf: () => ({ kind: 'none' }) }, log)
  addAnswers(app)
  addRequestLog(app, log)
  app.setNotFoundHandler((_request, reply) => reply.code(404).send())
  app.post('/change', async () => 'done')
  for (let i = 0; i < 250; i++) await app.inject('/nowhere')
  assert.equal(lines.length, 100)
  await app.inject({ method: 'POST', url: '/change' })
  assert.equal(lines.at(-1)?.status, 200)
  now += 60_000
  await app.inject('/nowhere')
  await app.close()
  assert.deepEqual(
    lines.slice(-2).map(({ status, omitted }) => status ?? omitted),
    [150, 404],
  )
})
