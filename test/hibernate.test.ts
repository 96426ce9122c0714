import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { makeSandbox } from '../packages/server/src/testing/make-sandbox.ts'
import type { Answer, TestService } from '../packages/server/src/testing/test-service.ts'
import { handleOf } from './support/folder-engine/cluster.ts'
import { openCluster } from './support/folder-engine/open-cluster.ts'
import { sharedDatabase } from './support/shared-database.ts'

const { env } = await sharedDatabase()
const { cluster, folder } = await openCluster()
let service: TestService = await cluster.serve(env)

const code = ({ status, body }: Answer) => [status, body?.code]
const post = (id: string, operation: string) => service.post(`~/sandboxes/${id}/${operation}`)
const sandbox = async (id: string) => (await service.get(`~/sandboxes/${id}`)).body.sandbox
const machine = async (id: string) => (await folder.inspect(await handleOf(service, id))).status
const openSpans = async (id: string) =>
  (
    await service.pool.db
      .selectFrom('usage_spans')
      .select('id')
      .where('sandbox_id', '=', id)
      .where('ended_at', 'is', null)
      .execute()
  ).length

test('a hibernated sandbox is STOPPED with a reason, costs nothing, and wakes with its files', async () => {
  const id = await makeSandbox(service)
  folder.write(await handleOf(service, id), 'kept')
  const hibernated = await post(id, 'hibernate')
  assert.deepEqual([hibernated.status, hibernated.text], [200, ''])
  const { status, reason, hibernated: flag, paused } = await sandbox(id)
  assert.deepEqual([status, reason, flag, paused], ['STOPPED', 'It is hibernated.', true, undefined])
  assert.deepEqual([await machine(id), await openSpans(id)], ['stopped', 0])
  assert.deepEqual(code(await post(id, 'preview')), [409, 'sandbox.STATE'])
  assert.deepEqual(code(await post(id, 'pause')), [409, 'sandbox.STATE'])
  assert.equal((await post(id, 'hibernate')).status, 200, 'a second time is not an error')

  const resumed = await post(id, 'resume')
  assert.deepEqual([resumed.status, resumed.text], [200, ''])
  assert.deepEqual([(await sandbox(id)).status, (await sandbox(id)).hibernated], ['RUNNING', undefined])
  assert.deepEqual([await machine(id), await openSpans(id)], ['running', 1])
  assert.equal(folder.diskOf(await handleOf(service, id)), 'kept')
  assert.equal((await post(id, 'resume')).status, 200)
})

test('a paused sandbox can be hibernated, and a restart wakes a hibernated one', async () => {
  const id = await makeSandbox(service)
  await post(id, 'pause')
  assert.equal((await post(id, 'hibernate')).status, 200)
  assert.deepEqual([(await sandbox(id)).paused, await machine(id)], [undefined, 'stopped'])
  assert.equal((await post(id, 'restart')).status, 200)
  assert.equal((await sandbox(id)).status, 'RUNNING')
})

test('a hibernated sandbox stays so when the service or the host starts again, and expires in time', async () => {
  const [asleep, unstopped] = [await makeSandbox(service), await makeSandbox(service)]
  for (const id of [asleep, unstopped]) await post(id, 'hibernate')
  const before = service
  await before.service.close()
  // The previous process ended after it had recorded the hibernation, and before it had stopped the machine.
  await folder.restart(await handleOf(before, unstopped))
  service = await cluster.serve({ ...env, SANDGLASS_DATA: before.folder })
  for (const id of [asleep, unstopped]) {
    assert.deepEqual([(await sandbox(id)).status, (await sandbox(id)).hibernated], ['STOPPED', true])
    await waitFor(async () => (await machine(id)) === 'stopped')
  }
  assert.equal((await post(asleep, 'resume')).status, 200)
  assert.equal((await sandbox(asleep)).status, 'RUNNING')
  const ended = await handleOf(service, unstopped)
  const now = { expires_at: new Date() }
  await service.pool.db.updateTable('sandboxes').set(now).where('id', '=', unstopped).execute()
  await waitFor(async () => (await folder.inspect(ended)).status === 'missing')
})

test('a sandbox that cannot be reached is not hibernated', async () => {
  const id = await makeSandbox(service)
  const { state } = await handleOf(service, id)
  const mend = await cluster.cut(String(state))
  await waitFor(async () => (await sandbox(id)).problem !== undefined)
  assert.deepEqual(code(await post(id, 'hibernate')), [503, 'sandbox.UNREACHABLE'])
  await mend()
  await waitFor(async () => (await sandbox(id)).problem === undefined)
  assert.equal((await sandbox(id)).status, 'RUNNING')
})
