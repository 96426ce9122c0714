import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { sql } from 'kysely'
import pino from 'pino'
import { Registry } from 'prom-client'
import type { Pool } from '../../db/database.ts'
import { DatabaseLostError } from '../../db/lost-connection.ts'
import { startTestService } from '../../testing/test-service.ts'
import { ActionLog } from './action-log.ts'
import { type NewAction, removeOldActions } from './store.ts'

const { pool, orgId } = await startTestService()
const { db } = pool

const action = (sandboxId: string, org_id = orgId, at = new Date()): NewAction => ({
  org_id,
  sandbox_id: sandboxId,
  at,
  actor_kind: 'apiKey',
  actor_id: 'key',
  source: 'api',
  type: 'wait',
  action: null,
  duration_ms: 1,
  outcome: 'done',
  screenshot: null,
})

async function countOf(sandboxId: string): Promise<number> {
  const { count } = await db
    .selectFrom('sandbox_actions')
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .where('sandbox_id', '=', sandboxId)
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Opens a log, and returns it with a function that reads its metric. */
function openLog(on: Pool = pool) {
  const registry = new Registry()
  const log = new ActionLog({ pool: on, registry, log: pino({ level: 'silent' }) })
  const counted = async (outcome: string) => {
    const metric = await registry.getSingleMetric('sandglass_timeline_actions_total')?.get()
    return metric?.values.find(({ labels }) => labels['outcome'] === outcome)?.value
  }
  return { log, counted }
}

test('what is waiting is written at the end, in the order in which it came', async () => {
  const { log, counted } = openLog()
  const sandboxId = randomUUID()
  for (let i = 0; i < 700; i++) log.add({ ...action(sandboxId), duration_ms: i })
  await log.close()
  assert.equal(await counted('written'), 700)
  const rows = await db
    .selectFrom('sandbox_actions')
    .select('duration_ms')
    .where('sandbox_id', '=', sandboxId)
    .orderBy('number')
    .execute()
  assert.deepEqual(
    rows.map(({ duration_ms }) => duration_ms),
    Array.from({ length: 700 }, (_, i) => i),
  )
})

test('the newest 5000 actions of a sandbox are kept', async () => {
  const { log } = openLog()
  const [busy, calm] = [randomUUID(), randomUUID()]
  for (const [id, count] of [
    [busy, 6000],
    [calm, 5200],
  ] as const)
    await sql`INSERT INTO sandbox_actions (org_id, sandbox_id, at, actor_kind, actor_id, source, type, duration_ms, outcome)
      SELECT ${orgId}, ${id}, now(), 'apiKey', 'key', 'api', 'old', 1, 'done' FROM generate_series(1, ${count}::int)`.execute(
      db,
    )
  for (let i = 0; i < 500; i++) log.add(action(busy))
  log.add(action(calm))
  await log.close()
  assert.equal(await countOf(busy), 5000, 'at once, because much was done in it')
  assert.equal(await countOf(calm), 5201)
  await log.trim()
  assert.equal(await countOf(calm), 5000)
  const { type } = await db
    .selectFrom('sandbox_actions')
    .select('type')
    .where('sandbox_id', '=', calm)
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow()
  assert.equal(type, 'wait')
})

test('while the database does not answer, actions are dropped and counted, and one organization leaves space for others', async () => {
  const { promise: answers, resolve: answer } = Promise.withResolvers<void>()
  const slow: Pool = {
    ...pool,
    prepared: async (...statement) => {
      await answers
      return pool.prepared(...statement)
    },
  }
  const { log, counted } = openLog(slow)
  const [greedy, modest] = [randomUUID(), randomUUID()]
  for (let i = 0; i < 1500; i++) log.add(action(greedy, greedy))
  for (let i = 0; i < 100; i++) log.add(action(modest, modest))
  assert.equal(await counted('dropped'), 500)
  for (let i = 0; i < 10; i++) for (let j = 0; j < 1000; j++) log.add(action(modest, `org-${i}`))
  assert.equal(await counted('dropped'), 500 + 10_000 - (4000 - 1100))
  answer()
  await log.close()
  assert.deepEqual([await countOf(greedy), await countOf(modest)], [1000, 3000])
  log.add(action(greedy, greedy))
  await waitFor(async () => (await countOf(greedy)) === 1001)
})

test('actions wait while the database is unavailable', async () => {
  let failures = 2
  const unsteady: Pool = {
    ...pool,
    prepared: async (...statement) => {
      if (failures-- > 0) throw new DatabaseLostError('connect ECONNREFUSED')
      return pool.prepared(...statement)
    },
  }
  const { log, counted } = openLog(unsteady)
  const sandboxId = randomUUID()
  log.add(action(sandboxId))
  await log.close()
  assert.deepEqual([await counted('written'), await counted('dropped')], [1, 0])
  assert.equal(await countOf(sandboxId), 1)
})

test('actions are removed when they are older than events may be', async () => {
  await db.deleteFrom('sandbox_actions').execute()
  const { log } = openLog()
  const sandboxId = randomUUID()
  const old = new Date(Date.now() - 31 * 86_400_000)
  for (let i = 0; i < 10; i++) log.add(action(sandboxId, orgId, old))
  log.add(action(sandboxId))
  await log.close()
  await removeOldActions(db, 30)
  assert.equal(await countOf(sandboxId), 1)
})

test('the oldest actions of all sandboxes are removed when there are too many', async () => {
  await db.deleteFrom('sandbox_actions').execute()
  const { log } = openLog()
  const [first, second] = [randomUUID(), randomUUID()]
  for (let i = 0; i < 5; i++) log.add(action(first))
  for (let i = 0; i < 5; i++) log.add(action(second))
  await log.close()
  await removeOldActions(db, 30, 10)
  assert.deepEqual([await countOf(first), await countOf(second)], [5, 5])
  await removeOldActions(db, 30, 7)
  assert.deepEqual([await countOf(first), await countOf(second)], [2, 5])
})
