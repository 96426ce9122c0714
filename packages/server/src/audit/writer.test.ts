import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { startTestService } from '../testing/test-service.ts'
import type { AuditRecord } from './store.ts'
import { AuditWriter } from './writer.ts'

const { pool, orgId } = await startTestService()
const { db } = pool

const record = (requestId: string, operation: string): AuditRecord => ({
  org_id: orgId,
  actor_kind: 'service',
  actor_id: 'test',
  target: null,
  outcome: 'done',
  address: null,
  operation,
  request_id: requestId,
})

test('entries that arrive during a write share the next transaction', async () => {
  const writer = new AuditWriter(pool.prepared)
  const tx = await db.startTransaction().execute()
  await sql`LOCK TABLE audit_log IN ACCESS EXCLUSIVE MODE`.execute(tx)
  const appended = Promise.all(
    Array.from({ length: 200 }, (_, i) => writer.append(record(`entry ${i}`, 'shared'))),
  )
  await tx.rollback().execute()
  await appended
  const { rows } = await sql<{ entries: string; transactions: string }>`
    SELECT count(*) AS entries, count(DISTINCT xmin::text) AS transactions
    FROM audit_log WHERE operation = 'shared'`.execute(db)
  assert.deepEqual(rows, [{ entries: '200', transactions: '2' }])
})

test('an entry that cannot be stored does not affect others', async () => {
  const writer = new AuditWriter(pool.prepared)
  const outcomes = await Promise.allSettled(
    ['first', 'a', 'zero\0byte', 'b'].map(text => writer.append(record(text, 'mixed'))),
  )
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'fulfilled', 'rejected', 'fulfilled'],
  )
})
