import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mock, test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { sql } from 'kysely'
import pino from 'pino'
import { DatabaseClock } from '../db/clock.ts'
import { defaultProjectId } from '../modules/projects/store.ts'
import { startTestService } from '../testing/test-service.ts'
import { Expirer } from './expirer.ts'

const { pool, orgId } = await startTestService()
const { db } = pool
const log = pino({ level: 'silent' })

/** Inserts a sandbox without a machine, and returns its end as the database announces it. */
async function insertSandbox(seconds: number): Promise<{ id: string; endMs: number }> {
  const id = randomUUID()
  const { expires_at } = await db
    .insertInto('sandboxes')
    .values({
      id,
      org_id: orgId,
      name: 'brief',
      shape_name: 'linux-desktop',
      status: 'RUNNING',
      project_id: await db.transaction().execute(tx => defaultProjectId(tx, orgId)),
      expires_at: sql<Date>`now() + make_interval(secs => ${seconds})`,
      price_per_hour: 1,
      created_by: 'service:test',
      labels: '{}',
    })
    .returning('expires_at')
    .executeTakeFirstOrThrow()
  return { id, endMs: expires_at.getTime() }
}

const isThere = async (id: string) =>
  (await db.selectFrom('sandboxes').select('id').where('id', '=', id).executeTakeFirst()) !== undefined

for (const [offset, skewMs] of [
  ['two seconds ahead', 2000],
  ['an hour ahead', 3_600_000],
  ['an hour behind', -3_600_000],
] as const)
  test(`a process whose clock is ${offset} looks for an expired sandbox once, when it expires`, async t => {
    const realNow = Date.now
    t.mock.method(Date, 'now', () => realNow() + skewMs)
    const expirer = new Expirer(db, await DatabaseClock.read(pool.prepared), 3600, log)
    const runs = mock.method(expirer, 'run')
    const { id, endMs } = await insertSandbox(1)
    expirer.arm(endMs)
    await waitFor(async () => runs.mock.callCount() > 0 && !(await isThere(id)))
    expirer.close()
    // The test's service may end the sandbox first, or hold a lock on its row for a moment, which causes one retry.
    assert.ok(runs.mock.callCount() <= 2, `it looked ${runs.mock.callCount()} times`)
  })

test('an expired sandbox whose row is locked is retried only after a delay', async () => {
  const { id } = await insertSandbox(0)
  const tx = await db.startTransaction().execute()
  await tx.selectFrom('sandboxes').selectAll().where('id', '=', id).forUpdate().execute()
  const timers = mock.method(globalThis, 'setTimeout')
  const expirer = new Expirer(db, await DatabaseClock.read(pool.prepared), 3600, log)
  const delays = async () => {
    await expirer.run()
    expirer.close()
    return timers.mock.calls.map(({ arguments: [, delay] }) => delay)
  }
  try {
    const held = (await delays()).filter(delay => delay !== undefined && delay > 100 && delay <= 210)
    assert.ok(held.length > 0)
  } finally {
    timers.mock.restore()
    await tx.rollback().execute()
  }
  await waitFor(async () => !(await isThere(id)))
})
