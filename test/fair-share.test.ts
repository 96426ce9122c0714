import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { sql } from 'kysely'
import { startTestService } from '../packages/server/src/testing/test-service.ts'
import { paperEngines } from './support/paper-engine.ts'

/** More than the service has database connections. */
const crowd = 32
/** The number of concurrent transactions that `transact.ts` allows per organization. */
const perOrganization = 4

const service = await startTestService({}, async () => paperEngines())
const { db } = service.pool

const make = (key?: string) =>
  service.post('~/sandboxes', { shapeName: 'linux-desktop' }, key === undefined ? {} : { key })

/** Holds the lock that every create of the organization needs, until it is released. */
async function lockOrganization(orgId: string) {
  const tx = await db.startTransaction().execute()
  // The server would end this idle transaction together with the statements that wait for it.
  await sql`SET LOCAL idle_in_transaction_session_timeout = 0`.execute(tx)
  await tx.selectFrom('organizations').selectAll().where('id', '=', orgId).forUpdate().execute()
  return () => tx.rollback().execute()
}

async function waitingForLocks(): Promise<number> {
  const { rows } = await sql<{ waiting: string }>`SELECT count(*) AS waiting FROM pg_stat_activity
    WHERE wait_event_type = 'Lock' AND datname = current_database()`.execute(db)
  return Number(rows[0]?.waiting)
}

test("an organization whose changes are all blocked holds a few connections, and another one's calls succeed", async () => {
  const other = await service.otherOrganization()
  const letGo = await lockOrganization(service.orgId)
  const creates = Promise.all(Array.from({ length: crowd }, () => make()))
  try {
    await waitFor(async () => (await waitingForLocks()) >= perOrganization)
    const path = `/api/orgs/${other.orgId}/projects`
    const answers = await Promise.all(
      Array.from({ length: crowd }, (_, i) =>
        i % 4 === 0
          ? service.post(path, { name: `beside ${i}` }, { key: other.apiKey })
          : service.get(path, { key: other.apiKey }),
      ),
    )
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200])
    assert.ok((await waitingForLocks()) <= perOrganization)
  } finally {
    await letGo()
  }
  // Calls that waited longer than the statement timeout were refused, and nothing was done for them.
  for (const { status } of await creates) assert.ok(status === 200 || status === 503)
})

test('a create that was refused for the quota is refused again without waiting for the organization', async () => {
  const plan = { name: 'single', tier: 9, concurrentSandboxes: 1, machineImages: null }
  assert.equal((await service.operator('POST', '/api/operator/plans', plan)).status, 200)
  const { body } = await service.operator('POST', '/api/operator/organizations', {
    name: 'Small',
    plan: 'single',
  })
  const key: string = body.ownerKey.apiKey
  const path = `/api/orgs/${body.organization.id}/sandboxes`
  const create = (headers?: Record<string, string>) =>
    service.post(path, { shapeName: 'linux-desktop' }, { key, ...(headers && { headers }) })
  const repeatable = { 'idempotency-key': 'once' }
  const first = await create(repeatable)
  assert.equal(first.status, 200)
  assert.equal((await create()).body.code, 'sandbox.TOO_MANY')

  const letGo = await lockOrganization(body.organization.id)
  const refused = await Promise.all(Array.from({ length: crowd }, () => create())).finally(letGo)
  assert.deepEqual([...new Set(refused.map(answer => answer.body.code))], ['sandbox.TOO_MANY'])

  // A repeat gets the same response as the first call, and a place that becomes free is usable immediately.
  assert.equal((await create(repeatable)).body.id, first.body.id)
  await service.remove(`${path}/${first.body.id}`, { key })
  assert.equal((await create()).status, 200)
})
