import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type KyselyPlugin, sql } from 'kysely'
import { pino } from 'pino'
import { startMachineService } from '../../testing/test-machines.ts'
import { SandboxUse } from './use.ts'

const { service } = await startMachineService()
const { db } = service.pool
const log = pino({ level: 'silent' })
const idleSeconds = 3600

async function createIdle(): Promise<string> {
  const { status, body, text } = await service.post('~/sandboxes', { shapeName: 'small', idleSeconds })
  assert.equal(status, 200, text)
  return body.id
}

const ids = await Promise.all([createIdle(), createIdle(), createIdle()])

/** As if nobody had used them for a while. */
const letIdle = () => sql`update sandboxes set idle_at = now() + interval '60 seconds'`.execute(db)

async function renewed(): Promise<string[]> {
  const rows = await db
    .selectFrom('sandboxes')
    .select('id')
    .where('idle_at', '>', sql<Date>`now() + interval '1000 seconds'`)
    .execute()
  return rows.map(({ id }) => id).sort()
}

test('the use of many sandboxes is recorded by few writes, and none of it is lost when the service stops', async () => {
  await letIdle()
  let writes = 0
  const counter: KyselyPlugin = {
    transformQuery: ({ node }) => {
      writes++
      return node
    },
    transformResult: async ({ result }) => result,
  }
  const use = new SandboxUse(db.withPlugin(counter), log)
  for (let round = 0; round < 100; round++) for (const id of ids) use.touched(id)
  await use.close()
  assert.deepEqual(await renewed(), [...ids].sort())
  assert.ok(writes <= 2, `${writes} writes`)
})

test('a sandbox that is just being changed is renewed as soon as that is done, and others do not wait for it', async () => {
  await letIdle()
  const use = new SandboxUse(db, log)
  const [changed = '', ...others] = ids
  await db.transaction().execute(async tx => {
    await sql`select id from sandboxes where id = ${changed} for update`.execute(tx)
    for (const id of ids) use.touched(id)
    while ((await renewed()).length < others.length) await new Promise(setImmediate)
  })
  await use.close()
  assert.deepEqual(await renewed(), [...ids].sort())
})
