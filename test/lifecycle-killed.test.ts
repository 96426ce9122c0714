import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { waitFor } from '@sandglass/machines/testing'
import { seeded } from '@sandglass/wire/testing'
import { sql } from 'kysely'
import { openPool } from '../packages/server/src/db/database.ts'
import { databaseAddress } from '../packages/server/src/service-database.ts'
import { readSettings } from '../packages/server/src/settings.ts'
import { cleanup } from '../packages/server/src/testing/cleanup.ts'
import { machineData, makeSandboxes } from './support/machine-process.ts'
import { call, remove, ServiceProcess } from './support/service-process.ts'
import { sharedDatabase } from './support/shared-database.ts'

const kills = Number(process.env['CHAOS_KILLS'] ?? 4)
const seed = Number(process.env['CHAOS_SEED'] ?? 1920)

test(`kill -9 at ${kills} random moments of an automatic pause loses no sandbox and bills nothing twice`, {
  timeout: 60_000 * kills + 300_000,
}, async context => {
  context.diagnostic(`seed ${seed}`)
  const { data, env: machines, engine } = await machineData()
  const { env: database } = await sharedDatabase()
  const env = { ...machines, ...database }
  const random = seeded(seed)
  let service = await ServiceProcess.start(data, env)
  let credentials = await service.credentials()
  const { db, close } = openPool(databaseAddress(readSettings({ ...env, SANDGLASS_DATA: data })), () => {})
  cleanup.defer(close)
  const ids = await makeSandboxes(credentials, 2)
  const rules = { onTimeout: 'pause', autoResume: true }
  for (const id of ids) await call(credentials, 'PATCH', `~/sandboxes/${id}/lifecycle`, rules)
  const run = (id: string) => call(credentials, 'POST', `~/sandboxes/${id}/process`, { executable: 'true' })
  const rows = () => db.selectFrom('sandboxes').selectAll().execute()

  for (let round = 0; round < kills; round++) {
    context.signal.throwIfAborted()
    await sql`UPDATE sandboxes SET expires_at = now()`.execute(db)
    const calling = round % 2 === 0 ? Promise.all(ids.map(run)) : undefined
    await delay(random() * 150)
    await service.kill()
    await calling
    service = await ServiceProcess.start(data, env)
    credentials = await service.credentials()
    // Whatever was under way is finished: each sandbox sleeps, or was woken by a call that came before the kill.
    await waitFor(async () => {
      const all = await rows()
      assert.equal(all.length, ids.length)
      return all.every(({ paused, expires_at }) => paused || expires_at.getTime() > Date.now())
    })
    for (const id of ids) {
      let answer = await run(id)
      await waitFor(async () => {
        if (answer.status !== 200) answer = await run(id)
        return answer.status === 200
      })
    }
    for (const { status } of await rows()) assert.equal(status, 'RUNNING')
  }

  const spans = await db
    .selectFrom('usage_spans')
    .select(['sandbox_id', 'started_at', 'ended_at'])
    .orderBy('started_at')
    .execute()
  for (const id of ids) {
    const own = spans.filter(span => span.sandbox_id === id)
    assert.equal(own.filter(({ ended_at }) => ended_at === null).length, 1)
    for (const [at, { started_at }] of own.entries())
      if (at > 0) assert.ok(Number(own[at - 1]?.ended_at ?? Number.POSITIVE_INFINITY) <= Number(started_at))
  }
  for (const id of ids) await remove(credentials, `~/sandboxes/${id}`)
  await waitFor(async () => (await engine.list()).length === 0)
})
