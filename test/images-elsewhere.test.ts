import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import type { ForkResult } from '@sandglass/protocol'
import { cleanup } from '../packages/server/src/testing/cleanup.ts'
import { makeSandbox } from '../packages/server/src/testing/make-sandbox.ts'
import type { TestService } from '../packages/server/src/testing/test-service.ts'
import { Cluster, handleOf } from './support/folder-engine/cluster.ts'
import { FolderEngine } from './support/folder-engine/folder-engine.ts'
import { nodeIdIn } from './support/nodes.ts'
import { sharedDatabase } from './support/shared-database.ts'

const { env } = await sharedDatabase()
const cluster = await Cluster.make()
await cluster.begin()
const folder = new FolderEngine(cluster.path)
cleanup.defer(() => folder.close())
const owner = await cluster.serve(env)
const other = await cluster.serve(env)

const disks = async () => (await folder.snapshots.list()).length
const nodeOf = async (id: string) =>
  (
    await owner.pool.db
      .selectFrom('sandboxes')
      .select('node_id')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
  ).node_id
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

test('an image whose node does not answer is a 503 that says so', async () => {
  const imageId = await imageOf(owner, await written('away'))
  await owner.service.close()
  const { status, headers, body } = await other.post('~/sandboxes/from-image', from(imageId))
  assert.deepEqual([status, body.code], [503, 'node.GONE'])
  assert.match(body.message, /Only one node has this disk/)
  assert.ok(Number(headers.get('retry-after')) > 0)
  const { body: listed } = await other.get('~/machine-images')
  assert.equal(listed.images[0].status, 'READY')
})
