import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { sql } from 'kysely'
import { makeSandbox } from '../packages/server/src/testing/make-sandbox.ts'
import { startTestService, type TestService } from '../packages/server/src/testing/test-service.ts'
import { handleOf, machineOf } from './support/folder-engine/cluster.ts'
import { openCluster } from './support/folder-engine/open-cluster.ts'
import { NodeDatabase, nodeIdIn, nodeOfSandbox } from './support/nodes.ts'

const database = await NodeDatabase.start()
const { env, db } = database

const look = async (service: TestService, id: string) => (await service.get(`~/sandboxes/${id}`)).body.sandbox
const eventsOf = async (service: TestService, id: string) =>
  JSON.stringify((await service.get(`~/sandboxes/${id}/events`)).body)

test('any front serves any machine, and the machines of a front that ended are taken over and run on', async () => {
  const { cluster, folder } = await openCluster()
  cluster.join('m1', 'm2')
  const [a, b, c] = [await cluster.serve(env), await cluster.serve(env), await cluster.serve(env)]
  const [running, paused, deleted] = [await makeSandbox(a), await makeSandbox(a), await makeSandbox(a)]
  const ofB = await makeSandbox(b)
  assert.equal((await c.post(`~/sandboxes/${paused}/pause`)).status, 200)
  const { body: saved } = await b.post(`~/sandboxes/${running}/snapshots`, { name: 'before' })
  const machines = await Promise.all([running, paused, ofB].map(id => machineOf(a, id)))
  const gone = await handleOf(a, deleted)
  const [nodeOfA, nodeOfB] = [await nodeIdIn(a.folder), await nodeIdIn(b.folder)]
  await a.service.close()
  assert.equal((await b.delete(`~/sandboxes/${deleted}`)).status, 200)

  await database.backdate(nodeOfA, '1 hour')
  for (const id of [running, paused]) {
    await waitFor(async () => (await nodeOfSandbox(db, id)) !== nodeOfA)
    assert.doesNotMatch(await eventsOf(b, id), /node-lost/)
  }
  assert.equal(await nodeOfSandbox(db, ofB), nodeOfB)
  // Every front can use them again, and the other node destroys what had been deleted.
  for (const service of [b, c]) {
    await waitFor(async () => (await service.post(`~/sandboxes/${running}/pause`)).status === 200)
    assert.equal((await service.post(`~/sandboxes/${running}/resume`)).status, 200)
  }
  assert.equal((await c.post(`~/sandboxes/${paused}/resume`)).status, 200)
  assert.equal((await b.post(`~/sandboxes/${running}/restore`, { snapshotId: saved.id })).status, 200)
  await waitFor(async () => (await folder.inspect(gone)).status === 'missing')

  // The front that comes back leaves them alone.
  const again = await cluster.serve({ ...env, SANDGLASS_DATA: a.folder })
  assert.deepEqual((await folder.list()).map(({ id }) => id).sort(), machines.toSorted())
  for (const id of [running, paused, ofB]) assert.equal((await look(again, id)).status, 'RUNNING')
  assert.equal((await folder.snapshots.list()).length, 1)
  await again.remove(`~/sandboxes/${running}`)
  await waitFor(async () => (await folder.list()).length === 2)
})

test('a front takes over what was declared lost by a process without the cluster, and removes what nobody knows', async () => {
  const { cluster, folder } = await openCluster()
  const [a, b] = [await cluster.serve(env), await cluster.serve(env)]
  const [id, forgotten] = [await makeSandbox(a), await makeSandbox(a)]
  const [machine, orphan] = [await machineOf(a, id), await machineOf(a, forgotten)]
  await a.service.close()
  const lost = await nodeIdIn(a.folder)
  // Simulate a crash after the row was deleted but before the machine was destroyed.
  await db.deleteFrom('sandboxes').where('id', '=', forgotten).execute()
  await db.deleteFrom('machines').where('id', '=', orphan).execute()
  await sql`UPDATE sandboxes SET status = 'ERROR', before_loss = jsonb_build_object(
    'status', 'RUNNING', 'paused', false, 'hibernated', false, 'reason', NULL) WHERE id = ${id}`.execute(db)
  await sql`UPDATE nodes SET lost_at = now() WHERE id = ${lost}`.execute(db)

  await waitFor(async () => (await look(b, id)).status === 'RUNNING')
  assert.deepEqual([await machineOf(b, id), await nodeOfSandbox(db, id)], [machine, await nodeIdIn(b.folder)])
  await waitFor(async () => (await folder.list()).length === 1)
  assert.equal((await b.post(`~/sandboxes/${id}/pause`)).status, 200)
})

test('what a removed node left in the cluster is removed by another', async () => {
  const { cluster, folder } = await openCluster()
  const [a, b] = [await cluster.serve(env), await cluster.serve(env)]
  const left = await makeSandbox(a)
  const machine = await machineOf(a, left)
  await a.service.close()
  const node = await nodeIdIn(a.folder)
  // Simulate a machine that the node was making when it ended, and of which no other node has ever known.
  await db.deleteFrom('sandboxes').where('id', '=', left).execute()
  await db.deleteFrom('machines').where('id', '=', machine).execute()
  await sql`UPDATE nodes SET lost_at = now() WHERE id = ${node}`.execute(db)
  assert.equal((await b.operator('DELETE', `/api/operator/nodes/${node}`)).status, 200)
  await waitFor(async () => (await folder.list()).length === 0)
})

test('the saved disks of a removed node are removed from the cluster by another', async () => {
  const { cluster, folder } = await openCluster()
  const a = await cluster.serve(env)
  const { body: saved } = await a.post(`~/sandboxes/${await makeSandbox(a)}/snapshots`, { name: 'left' })
  assert.equal(saved.status, 'READY')
  await a.service.close()
  const node = await nodeIdIn(a.folder)
  // No node has the cluster, so nobody takes the disk over.
  await sql`UPDATE nodes SET lost_at = now() WHERE id = ${node}`.execute(db)
  const other = await startTestService({ ...env, SANDGLASS_MACHINES: 'none' })
  assert.equal((await other.operator('DELETE', `/api/operator/nodes/${node}`)).status, 200)
  assert.equal((await folder.snapshots.list()).length, 1)
  await cluster.serve(env)
  await waitFor(async () => (await folder.snapshots.list()).length === 0)
})

test('a lost sandbox that two fronts start elsewhere, because one of them is taken over meanwhile, starts once', async () => {
  const { cluster, folder } = await openCluster()
  cluster.join('m1')
  const [a, b] = [await cluster.serve(env), await cluster.serve(env)]
  const id = await makeSandbox(a)
  const old = await machineOf(a, id)
  assert.equal((await a.post(`~/sandboxes/${id}/snapshots`, { name: 'before' })).body.status, 'READY')
  cluster.join('m2')
  cluster.lose('m1')
  await waitFor(async () => (await look(a, id)).status === 'ERROR')

  const release = await cluster.hinder('wait.create')
  const restarted = a.post(`~/sandboxes/${id}/restart`)
  await waitFor(async () => (await look(a, id)).status === 'PENDING')
  const ofA = await machineOf(a, id)
  const [nodeOfA, nodeOfB] = [await nodeIdIn(a.folder), await nodeIdIn(b.folder)]
  await waitFor(async () => {
    // It still runs and renews its lease, as a front does that stood still for a while.
    await database.backdate(nodeOfA, '1 hour')
    return (await nodeOfSandbox(db, id)) === nodeOfB
  })
  const again = [a, b].map(front => front.post(`~/sandboxes/${id}/restart`))
  await release()
  await waitFor(async () => (await look(b, id)).status === 'RUNNING')
  await Promise.all([restarted, ...again])

  const machine = await machineOf(b, id)
  assert.notEqual(machine, ofA, 'the front that was taken over may still create that one')
  // What runs is the machine of the sandbox; the lost one goes when its member is back.
  const machines = async () => (await folder.list()).map(one => one.id).sort()
  await waitFor(async () => (await machines()).length === 2)
  assert.deepEqual(await machines(), [old, machine].sort())
  cluster.join('m1')
  await waitFor(async () => (await machines()).length === 1)
  assert.deepEqual([await machines(), (await look(a, id)).status], [[machine], 'RUNNING'])
  assert.equal((await b.post(`~/sandboxes/${id}/pause`)).status, 200)
})
