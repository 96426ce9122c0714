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
