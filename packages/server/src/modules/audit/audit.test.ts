import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { AuditEntry } from '@sandglass/protocol'
import { sql } from 'kysely'
import { startTestService } from '../../testing/test-service.ts'

const service = await startTestService()

async function log(query = ''): Promise<{ entries: AuditEntry[]; nextCursor: string | null }> {
  const { status, body } = await service.get(`~/audit-log${query}`)
  assert.equal(status, 200)
  for (const entry of body.entries) AuditEntry.parse(entry)
  return body
}

test('every change is recorded with its actor, operation, address and request id', async () => {
  const made = await service.post('~/projects', { name: 'Audited' })
  const { entries } = await log(`?target=${made.body.id}`)
  assert.equal(entries.length, 1)
  const [entry] = entries
  assert.equal(entry?.operation, 'createProject')
  assert.equal(entry?.outcome, 'done')
  assert.equal(entry?.actor.kind, 'apiKey')
  assert.equal(entry?.address, '127.0.0.1')
  assert.equal(entry?.requestId, made.headers.get('x-request-id'))
})

test('a refused change is recorded with its error code', async () => {
  const viewer = await service.keyOf('viewer')
  await service.post('~/projects', { name: 'no' }, { key: viewer })
  await service.delete('~/projects/absent')
  const outcomes = async () => (await log('?limit=10')).entries.map(({ outcome }) => outcome)
  await waitFor(async () => {
    const seen = await outcomes()
    return seen.includes('auth.FORBIDDEN') && seen.includes('project.NOT_FOUND')
  })
})

test('the audit log is paginated and can be filtered', async () => {
  const names = ['a', 'b', 'c', 'd', 'e']
  const ids: string[] = []
  for (const name of names) ids.unshift((await service.post('~/projects', { name })).body.id)
  const first = await log('?limit=2&operation=createProject')
  const second = await log(`?limit=2&operation=createProject&cursor=${first.nextCursor}`)
  const targets = [...first.entries, ...second.entries].map(({ target }) => target)
  assert.deepEqual(targets, ids.slice(0, 4))
  assert.equal((await log(`?until=${new Date(Date.now() - 3_600_000).toISOString()}`)).entries.length, 0)
  assert.equal((await service.get('~/audit-log?limit=0')).body.issues[0].path, 'query.limit')
  assert.equal((await service.get('~/audit-log?cursor=x')).status, 400)
})

test('the audit log is append-only, even for direct SQL', async () => {
  await assert.rejects(sql`UPDATE audit_log SET outcome = 'done'`.execute(service.pool.db), /only grows/)
  await assert.rejects(sql`DELETE FROM audit_log`.execute(service.pool.db), /only grows/)
  await assert.rejects(sql`TRUNCATE audit_log`.execute(service.pool.db), /only grows/)
})

test("the operator's changes are only in the operator's log", async () => {
  const other = await service.otherOrganization()
  const { body } = await service.operator('GET', `/api/operator/audit-log?target=${other.orgId}`)
  assert.equal(body.entries[0].operation, 'createOrganization')
  assert.equal((await log(`?target=${other.orgId}`)).entries.length, 0)
})
