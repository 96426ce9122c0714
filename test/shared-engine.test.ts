import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { makeSandbox } from '../packages/server/src/testing/make-sandbox.ts'
import type { TestService } from '../packages/server/src/testing/test-service.ts'
import { Cluster, machineOf } from './support/folder-engine/cluster.ts'
import { FolderEngine } from './support/folder-engine/folder-engine.ts'
import { sharedDatabase } from './support/shared-database.ts'

const cluster = await Cluster.make()
await cluster.begin()

async function machines(): Promise<string[]> {
  const engine = new FolderEngine(cluster.path)
  const listed = await engine.list()
  await engine.close()
  return listed.map(({ id }) => id).sort()
}

const unclaimed = async (service: TestService) =>
  (await service.operator('GET', '/metrics')).text.match(/^sandglass_unclaimed_machines (\d+)$/m)?.[1]

test("two services on one shared engine leave each other's machines alone, and remove their own", async () => {
  const { env } = await sharedDatabase()
  const a = await cluster.serve(env)
  const b = await cluster.serve(env)
  const [ofA, ofB, forgotten] = [await makeSandbox(a), await makeSandbox(b), await makeSandbox(b)]
  const [machineOfA, machineOfB] = [await machineOf(a, ofA), await machineOf(b, ofB)]
  const lost = await machineOf(b, forgotten)
  await b.service.close()

  // Simulate a crash after the row was deleted but before the machine was destroyed.
  await a.pool.db.deleteFrom('sandboxes').where('id', '=', forgotten).execute()
  await a.pool.db.deleteFrom('machines').where('id', '=', lost).execute()
  assert.equal((await machines()).length, 3)
  const again = await cluster.serve({ ...env, SANDGLASS_DATA: b.folder })

  assert.deepEqual(await machines(), [machineOfA, machineOfB].sort())
  assert.deepEqual([await unclaimed(a), await unclaimed(again)], ['0', '0'])
  for (const [service, id] of [
    [a, ofA],
    [again, ofB],
  ] as const)
    assert.equal((await service.get(`~/sandboxes/${id}/status`)).body.status, 'RUNNING')

  await again.remove(`~/sandboxes/${ofB}`)
  await waitFor(async () => !(await machines()).includes(machineOfB))
  assert.deepEqual(await machines(), [machineOfA])
})

test("services of different installations leave each other's machines alone too", async () => {
  const before = await machines()
  const other = await cluster.serve()
  assert.deepEqual([await machines(), await unclaimed(other)], [before, '0'])
})
