import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { verifyAudit } from '../audit/chain.ts'
import { cleanup } from '../testing/cleanup.ts'
import { openPool } from './database.ts'
import { EmbeddedPostgres, embeddedAddress } from './embedded/server.ts'
import { migrate } from './migrate.ts'

const folder = await mkdtemp(join(tmpdir(), 'sandglass-migrate-'))
cleanup.defer(() => rm(folder, { recursive: true, force: true }))
const server = await EmbeddedPostgres.start(folder, { info: () => {}, warn: console.warn })
cleanup.defer(() => server.stop())
const { db, close } = openPool(embeddedAddress(folder), () => {})
cleanup.defer(close)

test('entries that an earlier version wrote into the audit log become part of its chains', async () => {
  await migrate(db, '0012-node-addresses')
  const entry = {
    actor_kind: 'apiKey',
    actor_id: '1',
    operation: 'createProject',
    target: null,
    outcome: 'done',
    address: '127.0.0.1',
    request_id: 'r',
  }
  for (const org_id of ['a', 'b', null, 'a'])
    await db
      .insertInto('audit_log')
      .values({ org_id, ...entry })
      .execute()
  await migrate(db)
  await db
    .insertInto('audit_log')
    .values({ org_id: 'a', ...entry })
    .execute()
  const { heads, breaks } = await verifyAudit(db)
  assert.deepEqual(breaks, [])
  assert.deepEqual(Object.fromEntries(heads.map(({ chain, number }) => [chain, number])), {
    '': 1,
    a: 3,
    b: 1,
  })
})
