import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { startTestService, type TestService } from '../packages/server/src/testing/test-service.ts'
import { paperEngines } from './support/paper-engine.ts'
import { sharedDatabase } from './support/shared-database.ts'

const { env } = await sharedDatabase()

const here = paperEngines()
const a = await startTestService(env, async () => here)
const b = await startTestService(env, async () => paperEngines())

const status = async (service: TestService, id: string) => {
  const { status: code, body } = await service.get(`~/sandboxes/${id}/status`)
  return code === 200 ? body.status : code
}

async function made(): Promise<string> {
  const { body } = await a.post('~/sandboxes', { shape: 'linux-desktop', maxLifeSeconds: 600 })
  await waitFor(async () => (await status(b, body.id)) === 'RUNNING')
  return body.id
}

test('a process that has not the machine passes the call on to the one that has', async () => {
  const id = await made()
  for (const operation of ['pause', 'resume', 'restart']) {
    const answer = await b.post(`~/sandboxes/${id}/${operation}`)
    assert.deepEqual([answer.status, answer.text], [200, ''], operation)
  }
  const refused = await b.post(`~/sandboxes/${id}/resume`)
  assert.equal(refused.status, 200, 'a RUNNING sandbox has nothing to resume')
  assert.equal((await b.post('~/sandboxes/absent/restart')).body.code, 'sandbox.NOT_FOUND')
})

test('a sandbox that is deleted on one process is destroyed by the other', async () => {
  const id = await made()
  const { machine_id: machine } = await b.pool.db
    .selectFrom('sandboxes')
    .select('machine_id')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  const exists = async () => ((await here.get('local')?.list()) ?? []).some(({ id }) => id === machine)
  assert.ok(await exists())
  assert.equal((await b.delete(`~/sandboxes/${id}`)).status, 200)
  assert.equal(await status(a, id), 404)
  await waitFor(async () => !(await exists()))
})

test('a sandbox ends in time on whichever process is alive, and a machine whose process is gone is a 503', async () => {
  const long = await made()
  const brief = await made()
  await a.service.close()
  const { status: code, headers, body, text } = await b.post(`~/sandboxes/${long}/restart`)
  assert.deepEqual([code, body?.code], [503, 'node.GONE'], text)
  assert.ok(Number(headers.get('retry-after')) > 0)
  const now = { expires_at: new Date() }
  await b.pool.db.updateTable('sandboxes').set(now).where('id', '=', brief).execute()
  await waitFor(async () => (await status(b, brief)) === 404)
  const { body: log } = await b.get(`~/audit-log?target=${brief}&operation=expireSandbox`)
  assert.equal(log.entries.length, 1)
})
