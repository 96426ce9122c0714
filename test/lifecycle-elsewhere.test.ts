import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { KeyedMutex } from '@sandglass/supervision'
import { RuledSandbox } from '../packages/server/src/modules/sandboxes/lifecycle/testing/rules.ts'
import { makeSandbox } from '../packages/server/src/testing/make-sandbox.ts'
import { startTestService } from '../packages/server/src/testing/test-service.ts'
import { paperEngines } from './support/paper-engine.ts'
import { sharedDatabase } from './support/shared-database.ts'

const { env } = await sharedDatabase()
const here = paperEngines()
const a = await startTestService(env, async () => here)
const b = await startTestService(env, async () => paperEngines({ places: 0 }))

const rules = { onTimeout: 'pause', autoResume: true }
const create = async (lifecycle: object) =>
  new RuledSandbox(a, await makeSandbox(a, { shapeName: 'linux-desktop', lifecycle }))

test('the process that has the machine pauses it, and a call to another process wakes it', async t => {
  const engine = here.get('local') ?? assert.fail()
  const [pause, resume] = [t.mock.method(engine, 'pause'), t.mock.method(engine, 'resume')]
  const sandbox = await create(rules)
  await sandbox.putToSleep()
  assert.equal(pause.mock.callCount(), 1)
  // Nothing runs on paper, so the call fails in the machine, but not before it was woken.
  const answers = await Promise.all(
    Array.from({ length: 5 }, () => b.post(`${sandbox.path}/process`, { executable: 'true' })),
  )
  for (const { body } of answers) assert.match(body.message, /^Nothing runs on paper/)
  assert.equal((await sandbox.required()).status, 'RUNNING')
  assert.equal(resume.mock.callCount(), 1)
  const { status } = await b.call('PATCH', `${sandbox.path}/lifecycle`, { body: { autoResume: false } })
  assert.equal(status, 200)
  await sandbox.putToSleep()
  const refused = await b.post(`${sandbox.path}/process`, { executable: 'true' })
  assert.deepEqual([refused.status, refused.body.code], [409, 'sandbox.STATE'])
  assert.match(refused.body.message, /STOPPED/)
})

test('a machine that somebody else has just resumed is not resumed again', async t => {
  const engine = here.get('local') ?? assert.fail()
  const sandbox = await create(rules)
  await sandbox.putToSleep()
  const [isBeingResumed, mayResume] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const resume = t.mock.method(engine, 'resume', async () => {
    isBeingResumed.resolve()
    await mayResume.promise
  })
  const waiting = t.mock.method(KeyedMutex.prototype, 'run')
  const calls = [a.post(`${sandbox.path}/resume`)]
  await isBeingResumed.promise
  calls.push(a.post(`${sandbox.path}/resume`))
  const { machine_id: machineId } = await sandbox.required()
  await waitFor(
    async () => waiting.mock.calls.filter(({ arguments: [machine] }) => machine === machineId).length === 2,
  )
  mayResume.resolve()
  for (const { status, text } of await Promise.all(calls)) assert.equal(status, 200, text)
  assert.equal(resume.mock.callCount(), 1)
})

test('calls by way of another process are use for the process that has the machine', async () => {
  const sandbox = await create({ idleSeconds: 3600, onIdle: 'pause' })
  const idleAt = async () => Number((await sandbox.required()).idle_at)
  const soon = { idle_at: new Date(Date.now() + 60_000) }
  await a.pool.db.updateTable('sandboxes').set(soon).where('id', '=', sandbox.id).execute()
  await b.get(sandbox.path)
  await waitFor(async () => (await idleAt()) > Date.now() + 600_000)
  await waitFor(async () => {
    if ((await idleAt()) > Date.now() + 60_000) await sandbox.letIdle()
    return (await sandbox.required()).paused
  })
})

test('a paused sandbox whose process is gone is deleted in time by another one', async () => {
  const [kept, running] = [await create(rules), await create(rules)]
  await kept.putToSleep()
  await a.service.close()
  await kept.letExpire()
  await kept.gone()
  const { body } = await b.get('~/sandboxes?ended=true&limit=1')
  assert.deepEqual([body[0].id, body[0].ended.reason], [kept.id, 'not-woken'])
  // Only the process that has the machine can pause it, which it does when it is back.
  await running.letExpire()
  assert.equal((await running.required()).status, 'RUNNING')
})
