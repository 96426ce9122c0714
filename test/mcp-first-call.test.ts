import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { sql } from 'kysely'
import type { Actor } from '../packages/server/src/auth/principal.ts'
import { transact } from '../packages/server/src/db/transact.ts'
import { lockWithSandbox } from '../packages/server/src/modules/mcp-servers/service.ts'
import { setSandbox } from '../packages/server/src/modules/mcp-servers/store.ts'
import { assistant, madeServer, textOf, use } from '../packages/server/src/testing/assistant.ts'
import { startTestService } from '../packages/server/src/testing/test-service.ts'
import { paperEngines } from './support/paper-engine.ts'

const service = await startTestService({}, async () => paperEngines())
const { db } = service.pool
const member: Actor = {
  kind: 'mcpServer',
  id: 'test',
  role: 'member',
  organization: { id: service.orgId, planTier: 1000, featureFlags: [] },
}

test("the owner's first call to a server that creates its sandbox in advance reaches that sandbox", async () => {
  for (let attempt = 0; attempt < 20; attempt++) {
    const server = await madeServer(service, { sandboxShape: 'linux-desktop', sandboxAutoCreation: true })
    const result = await use(await assistant(service, server.id), 'shell', { command: 'true' })
    // The machines of this test run no programs, so a call that reached its machine fails with that.
    assert.match(textOf(result), /nothing runs on paper|machine/i)
    assert.doesNotMatch(textOf(result), /trial/)
    await service.remove(`~/mcp-servers/${server.id}`)
  }
})

test('a sandbox that a server gets while somebody waits for the lock of the server is locked too', async () => {
  const server = await madeServer(service, { sandboxShape: 'linux-desktop' })
  const { body: sandbox } = await service.post('~/sandboxes', { shape: 'linux-desktop' })
  const first = await db.startTransaction().execute()
  await setSandbox(first, server.id, { sandboxId: sandbox.id, made: true, wanted: false })
  const second = transact(db, async tx => lockWithSandbox(tx, member, server.id))
  await waitFor(async () => {
    const { rows } = await sql`SELECT 1 FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock'`.execute(db)
    return rows.length > 0
  })
  await first.commit().execute()
  const locked = await second
  assert.equal(locked.server.current_sandbox_id, sandbox.id)
  assert.equal(locked.sandbox?.id, sandbox.id)
})
