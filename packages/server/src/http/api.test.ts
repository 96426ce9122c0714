import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operation } from '@sandglass/protocol'
import Fastify from 'fastify'
import { z } from 'zod'
import { AuditWriter } from '../audit/writer.ts'
import type { Database } from '../db/database.ts'
import { Api } from './api.ts'
import { LoopTime } from './loop-time.ts'
import { SocketRoutes } from './socket-routes.ts'

/** Creates an app that serves one operation to everybody. */
async function serving(definition: Parameters<Api['serve']>[0]) {
  const app = Fastify()
  app.addHook('onRequest', async request => {
    request.principal = { kind: 'operator', id: 'tester' }
  })
  // The operation changes nothing, so the database is not used.
  const db = {} as Database
  const api = new Api(app, {
    sockets: new SocketRoutes(),
    db,
    audit: new AuditWriter(async () => []),
    loopTime: new LoopTime(1),
    listener: { caughtUp: async () => {} },
  })
  api.serve(definition, async () => ({ fine: true }))
  return app
}

const path = '/api/things/{thingId}/old'

test('a deprecated operation still works, and its headers name the date and the successor', async () => {
  const app = await serving(
    operation({
      id: 'oldThing',
      tag: 'Things',
      summary: 'Old.',
      method: 'GET',
      path,
      access: { to: 'anyone' },
      response: z.object({ fine: z.boolean() }),
      deprecated: { since: '2025-10-22', successor: '/api/things/{thingId}/new' },
    }),
  )
  const { statusCode, headers } = await app.inject('/api/things/7/old')
  assert.equal(statusCode, 200)
  assert.equal(headers['deprecation'], `@${Date.UTC(2025, 9, 22) / 1000}`)
  assert.equal(headers['link'], '</api/things/7/new>; rel="successor-version"')
})

test('an operation without a response returns an empty 200, or a 204 if it is defined so', async () => {
  const base = {
    id: 'end',
    tag: 'Things',
    summary: 'End.',
    method: 'GET',
    path,
    access: { to: 'anyone' },
  } as const
  const empty = await (await serving(operation(base))).inject('/api/things/7/old')
  assert.deepEqual([empty.statusCode, empty.headers['content-length'], empty.body], [200, '0', ''])
  const none = await (await serving(operation({ ...base, status: 204 }))).inject('/api/things/7/old')
  assert.equal(none.statusCode, 204)
})
