import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { makeSandbox } from '../packages/server/src/testing/make-sandbox.ts'
import type { TestService } from '../packages/server/src/testing/test-service.ts'
import { Cluster, machineOf } from './support/folder-engine/cluster.ts'
import { sharedDatabase } from './support/shared-database.ts'

const { env } = await sharedDatabase()
const cluster = await Cluster.make()
await cluster.begin()

const look = async (service: TestService, id: string) => (await service.get(`~/sandboxes/${id}`)).body.sandbox
const run = (service: TestService, id: string) =>
  service.post(`~/sandboxes/${id}/process`, { executable: 'true' })

test('a sandbox that cannot be reached stays RUNNING, shows the problem, refuses calls, and recovers', async () => {
  const service = await cluster.serve(env)
  const id = await makeSandbox(service)
  const heal = await cluster.cut(await machineOf(service, id))
  await waitFor(async () => (await look(service, id)).problem !== undefined)
  const { status, problem } = await look(service, id)
  assert.deepEqual([status, problem.component], ['RUNNING', 'machine'])
  assert.match(problem.reason, /The network to .* is broken/)

  for (const path of ['process', 'pause']) {
    const { status, body, headers } = await service.post(`~/sandboxes/${id}/${path}`, { executable: 'true' })
    assert.deepEqual([status, body.code], [503, 'sandbox.UNREACHABLE'], path)
    assert.match(body.message, /The network to .* is broken/)
    assert.ok(headers.get('retry-after'))
  }
  assert.equal((await look(service, id)).status, 'RUNNING')

  await heal()
  await waitFor(async () => (await look(service, id)).problem === undefined)
  assert.equal((await service.post(`~/sandboxes/${id}/pause`)).status, 200)
  assert.equal((await service.post(`~/sandboxes/${id}/resume`)).status, 200)
  await service.service.close()
})

test('a service that starts while a machine cannot be reached takes it up once it can be reached', async () => {
  const before = await cluster.serve(env)
  const id = await makeSandbox(before)
  const machine = await machineOf(before, id)
  await before.service.close()
  const heal = await cluster.cut(machine)

  const service = await cluster.serve({ ...env, SANDGLASS_DATA: before.folder })
  await waitFor(async () => (await look(service, id)).problem !== undefined)
  assert.equal((await look(service, id)).status, 'RUNNING')
  const refused = await run(service, id)
  assert.deepEqual([refused.status, refused.body.code], [503, 'sandbox.UNREACHABLE'])
  assert.match(refused.body.message, /The network to .* is broken/)

  await heal()
  await waitFor(async () => (await look(service, id)).problem === undefined)
  // A machine of this engine cannot run programs, so it is enough that the call reaches it.
  assert.notEqual((await run(service, id)).body.code, 'sandbox.UNREACHABLE')
})
