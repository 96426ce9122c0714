import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { makeSandbox } from '../packages/server/src/testing/make-sandbox.ts'
import { startTwoNodes } from './support/folder-engine/open-cluster.ts'
import { nodeIdIn, nodeOfSandbox } from './support/nodes.ts'

const { folder, owner, other } = await startTwoNodes()
const nodeOf = (id: string) => nodeOfSandbox(owner.pool.db, id)
const volumes = [{ name: 'data', path: '/srv/data' }]

test('a sandbox is on the node of its volumes, whichever process is asked', async () => {
  const { body: volume } = await owner.post('~/volumes', { name: 'data', sizeMiB: 64 })
  const here = await nodeIdIn(owner.folder)
  assert.equal(volume.nodeId, here)
  for (const service of [owner, other]) {
    const id = await makeSandbox(service, { volumes })
    assert.equal(await nodeOf(id), here)
    assert.equal((await other.get('~/volumes')).body[0].sandboxes[0].sandboxId, id)
    assert.equal((await service.delete(`~/sandboxes/${id}`)).status, 200)
  }
  const { body: far } = await other.post('~/volumes', { name: 'far', sizeMiB: 64 })
  assert.notEqual(far.nodeId, here)
  const both = [...volumes, { name: 'far', path: '/srv/far' }]
  const { status, body } = await owner.post('~/sandboxes', { shapeName: 'small', volumes: both })
  assert.deepEqual([status, body.code], [409, 'volume.ELSEWHERE'])
  // The node that has a volume deletes it.
  assert.equal((await owner.delete(`~/volumes/${far.id}`)).status, 200)
  await waitFor(async () => (await folder.volumes.list()).length === 1)
})

test('a volume whose node does not answer is a 503 that says so', async () => {
  await owner.service.close()
  const { status, headers, body } = await other.post('~/sandboxes', { shapeName: 'small', volumes })
  assert.deepEqual([status, body.code], [503, 'node.GONE'])
  assert.match(body.message, /Only one node has this disk or volume/)
  assert.ok(Number(headers.get('retry-after')) > 0)
  assert.equal((await other.get('~/volumes')).body[0].status, 'READY')
})

test('a node that has volumes is not removed before it is lost, and its volumes are in ERROR then', async () => {
  const node = `/api/operator/nodes/${await nodeIdIn(owner.folder)}`
  assert.equal((await other.operator('POST', `${node}/drain`)).status, 200)
  const refused = await other.operator('DELETE', node)
  assert.deepEqual([refused.status, refused.body.code], [409, 'node.IN_USE'])
  assert.match(refused.body.message, /still has a volume/)
  const lost = { lost_at: new Date() }
  await other.pool.db
    .updateTable('nodes')
    .set(lost)
    .where('id', '=', node.split('/').at(-1) ?? '')
    .execute()
  assert.equal((await other.operator('DELETE', node)).status, 200)
  const [volume] = (await other.get('~/volumes')).body
  assert.deepEqual([volume.status, volume.nodeId], ['ERROR', null])
  assert.match(volume.reason, /was removed/)
  assert.equal((await other.delete(`~/volumes/${volume.id}`)).status, 200)
  assert.deepEqual((await other.get('~/volumes')).body, [])
  assert.deepEqual(await other.pool.db.selectFrom('volumes').select('id').execute(), [])
})
