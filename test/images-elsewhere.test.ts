import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import type { ForkResult } from '@sandglass/protocol'
import { makeSandbox } from '../packages/server/src/testing/make-sandbox.ts'
import type { TestService } from '../packages/server/src/testing/test-service.ts'
import { handleOf } from './support/folder-engine/cluster.ts'
import { startTwoNodes } from './support/folder-engine/open-cluster.ts'
import { nodeIdIn, nodeOfSandbox } from './support/nodes.ts'

const { folder, owner, other } = await startTwoNodes()

const disks = async () => (await folder.snapshots.list()).length
const nodeOf = (id: string) => nodeOfSandbox(owner.pool.db, id)
const sandboxes = async () => (await owner.get('~/sandboxes')).body.length
const here = await nodeIdIn(owner.folder)

async function written(disk: string): Promise<string> {
  const id = await makeSandbox(owner)
  folder.write(await handleOf(owner, id), disk)
  return id
}

async function imageOf(service: TestService, sandboxId: string): Promise<string> {
  const { status, body, text } = await service.post('~/machine-images', { sandboxId, name: 'base' })
  assert.equal(status, 200, text)
  assert.deepEqual([body.status, body.pauseMs], ['READY', 5])
  return body.id
}

const from = (imageId: string) => ({ imageId, name: 'copy', maxLifeSeconds: 600 })

test('a process that has not the machine lets the one that has save its disk, and create from it', async () => {
  const id = await written('over there')
  const imageId = await imageOf(other, id)
  const { status, body, text } = await other.post('~/sandboxes/from-image', { ...from(imageId), wait: 30 })
  assert.equal(status, 200, text)
  assert.equal(body.sandbox.status, 'RUNNING')
  assert.equal(await nodeOf(body.sandbox.id), here)
  assert.equal(folder.diskOf(await handleOf(owner, body.sandbox.id)), 'over there')
  assert.equal((await other.delete(`~/machine-images/${imageId}`)).status, 204)
  await waitFor(async () => (await disks()) === 0)
})

test('a process that has not the disk lets the one that has keep machines of an image ready, and claims them', async () => {
  const imageId = await imageOf(owner, await written('ready there'))
  const path = '/api/operator/machine-images'
  const ready = async () => (await other.operator('GET', path)).body[0].ready
  assert.equal((await other.operator('PATCH', `${path}/${imageId}`, { warm: 1 })).status, 200)
  await waitFor(async () => (await ready()) === 1)
  const { body, text } = await other.post('~/sandboxes/from-image', from(imageId))
  assert.equal(body.sandbox.status, 'RUNNING', text)
  assert.equal(await nodeOf(body.sandbox.id), here)
  assert.equal(folder.diskOf(await handleOf(owner, body.sandbox.id)), 'ready there')
  await waitFor(async () => (await ready()) === 1)
  assert.equal((await other.delete(`~/machine-images/${imageId}`)).status, 204)
  await waitFor(async () => (await disks()) === 0 && (await folder.list()).length === (await sandboxes()))
})

test('snapshots, restores, forks and hibernation are passed on as well', async () => {
  const id = await written('there')
  const at = `~/sandboxes/${id}`
  const { body: snapshot } = await other.post(`${at}/snapshots`)
  assert.equal(snapshot.status, 'READY')
  folder.write(await handleOf(owner, id), 'changed')
  assert.equal((await other.post(`${at}/restore`, { snapshotId: snapshot.id })).status, 200)
  assert.equal(folder.diskOf(await handleOf(owner, id)), 'there')
  const { body: forked } = await other.post(`${at}/fork`, { count: 2 })
  for (const result of forked.results as ForkResult[]) {
    assert.ok('sandbox' in result)
    assert.equal(await nodeOf(result.sandbox.id), here)
  }
  assert.equal((await other.post(`${at}/hibernate`)).status, 200)
  assert.equal((await other.post(`${at}/resume`)).status, 200)
  assert.equal((await other.delete(`${at}/snapshots/${snapshot.id}`)).status, 200)
  await waitFor(async () => (await disks()) === 0)
})

test('a drained node is not removed as long as it has the disk of an image', async () => {
  const id = await written('kept')
  const imageId = await imageOf(owner, id)
  const { body: sandboxes } = await owner.get('~/sandboxes')
  for (const sandbox of sandboxes) await owner.remove(`~/sandboxes/${sandbox.id}`)
  await waitFor(async () => (await folder.list()).length === 0)
  const path = `/api/operator/nodes/${here}`
  assert.equal((await other.operator('POST', `${path}/drain`)).status, 200)
  const refused = await other.operator('DELETE', path)
  assert.deepEqual([refused.status, refused.body.code], [409, 'node.IN_USE'])
  assert.match(refused.body.message, /the disk of an image/)
  assert.equal((await other.operator('POST', `${path}/undrain`)).status, 200)
  assert.equal((await other.delete(`~/machine-images/${imageId}`)).status, 204)
})

test('an image whose node does not answer is a 503 that says so', async () => {
  const imageId = await imageOf(owner, await written('away'))
  await owner.service.close()
  const { status, headers, body } = await other.post('~/sandboxes/from-image', from(imageId))
  assert.deepEqual([status, body.code], [503, 'node.GONE'])
  assert.match(body.message, /Only one node has this disk/)
  assert.ok(Number(headers.get('retry-after')) > 0)
  const image = async () => (await other.get('~/machine-images')).body.images[0]
  assert.equal((await image()).status, 'READY')

  await other.pool.db.updateTable('nodes').set({ lost_at: new Date() }).where('id', '=', here).execute()
  const removed = await other.operator('DELETE', `/api/operator/nodes/${here}`)
  assert.equal(removed.status, 200, removed.text)
  const { status: state, reason } = await image()
  assert.deepEqual([state, reason], ['ERROR', 'The node that had the disk was removed.'])
  assert.equal((await other.delete(`~/machine-images/${imageId}`)).status, 204)
})
