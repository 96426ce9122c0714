import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { makeSandbox } from '../packages/server/src/testing/make-sandbox.ts'
import { openCluster } from './support/folder-engine/open-cluster.ts'
import { NodeDatabase } from './support/nodes.ts'

const { env } = await NodeDatabase.start()

test('operators see the members of a cluster in the list of nodes, in metrics and in the readiness', async () => {
  const { cluster } = await openCluster()
  cluster.join('m1', 'm2', 'm3')
  const service = await cluster.serve(env)
  for (let i = 0; i < 3; i++) await makeSandbox(service)
  cluster.lose('m3')

  const members = async () => (await service.operator('GET', '/api/operator/nodes')).body[0].members
  const offline = { name: 'm3', status: 'offline', reason: 'The member m3 of the cluster is gone.' }
  await waitFor(async () => (await members())?.[2]?.status === 'offline')
  assert.deepEqual(await members(), [
    { engine: 'folder', name: 'm1', status: 'online', machines: 1, fits: 999 },
    { engine: 'folder', name: 'm2', status: 'online', machines: 1, fits: 999 },
    { engine: 'folder', ...offline, machines: 1, fits: 999 },
  ])

  const { text } = await service.operator('GET', '/metrics')
  for (const line of [
    'sandglass_cluster_members{engine="folder",status="online"} 2',
    'sandglass_cluster_members{engine="folder",status="offline"} 1',
    'sandglass_cluster_member_machines{engine="folder",member="m2"} 1',
  ])
    assert.ok(text.includes(line), line)

  const { body } = await service.get('/readyz', { key: null })
  assert.deepEqual(body, {
    status: 'ready',
    degraded: [{ engine: 'folder', reason: 'Members of the cluster are offline (1 of 3): m3.' }],
  })
})

test('the warm pool is spread over the members that are online, and what a lost member had is replaced', async () => {
  const { cluster, folder } = await openCluster()
  await cluster.offer([{ warm: 4 }])
  cluster.join('m1', 'm2', 'm3')
  cluster.lose('m3')
  const service = await cluster.serve()
  const membersOf = async () => (await folder.list()).map(({ member }) => member).sort()
  await waitFor(async () => (await folder.list()).length === 4)
  assert.deepEqual(await membersOf(), ['m1', 'm1', 'm2', 'm2'])

  cluster.lose('m2')
  const ready = async () =>
    (await service.pool.db.selectFrom('machines').select('id').where('state', '=', 'ready').execute()).map(
      ({ id }) => id,
    )
  const lost = (await folder.list()).filter(({ member }) => member === 'm2').map(({ id }) => id)
  await waitFor(async () => {
    const ids = await ready()
    return ids.length === 4 && !ids.some(id => lost.includes(id))
  })
  cluster.join('m2')
  await waitFor(async () => (await folder.list()).length === 4)
  assert.deepEqual(await membersOf(), ['m1', 'm1', 'm1', 'm1'])

  // A machine that is claimed is replaced on the member that has the fewest of the pool.
  for (const expected of [['m2'], ['m2', 'm2']]) {
    await makeSandbox(service)
    await waitFor(async () => (await ready()).length === 4)
    const ids = await ready()
    const ofPool = (await folder.list()).filter(({ id }) => ids.includes(id)).map(({ member }) => member)
    assert.deepEqual(
      ofPool.filter(member => member === 'm2'),
      expected,
    )
  }
})
