import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { makeSandbox } from '../packages/server/src/testing/make-sandbox.ts'
import { startCluster } from './support/folder-engine/open-cluster.ts'

const { service } = await startCluster()
const { db } = service.pool

/** Returns the values of a metric by the one label that it has. */
async function metric(name: string): Promise<Record<string, number>> {
  const { text } = await service.operator('GET', '/metrics')
  const lines = text.matchAll(new RegExp(`^${name}\\{\\w+="([^"]+)"\\} (\\d+)$`, 'gm'))
  return Object.fromEntries([...lines].map(([, label = '', value]) => [label, Number(value)]))
}

const nothing = { image: 0, snapshot: 0, 'build-step': 0, volume: 0, temporary: 0 }
const MiB = 1024 * 1024

test('saved disks and volumes are counted by what they are, and the space of engines is a metric', async () => {
  assert.deepEqual(await metric('sandglass_saved'), nothing)
  const id = await makeSandbox(service)
  const { body: image } = await service.post('~/machine-images', { sandboxId: id, name: 'base' })
  for (const name of ['first', 'second']) await service.post(`~/sandboxes/${id}/snapshots`, { name })
  await service.post('~/volumes', { name: 'data', sizeMiB: 64 })
  const { disk_id: diskId } = await db
    .selectFrom('machine_images')
    .select('disk_id')
    .where('id', '=', image.id)
    .executeTakeFirstOrThrow()
  assert.ok(diskId)
  const { node_id: nodeId } = await db
    .selectFrom('saved_disks')
    .select('node_id')
    .where('id', '=', diskId)
    .executeTakeFirstOrThrow()
  await db
    .insertInto('build_steps')
    .values({ org_id: service.orgId, node_id: nodeId, key: 'a', disk_id: diskId })
    .execute()
  // The disk of an image that builds continue from is counted once.
  assert.deepEqual(await metric('sandglass_saved'), { ...nothing, image: 1, snapshot: 2, volume: 1 })
  assert.deepEqual(await metric('sandglass_saved_bytes'), {
    ...nothing,
    image: MiB,
    snapshot: 2 * MiB,
    volume: 64 * MiB,
  })
  await service.remove(`~/machine-images/${image.id}`)
  const withStep = { ...nothing, 'build-step': 1, snapshot: 2, volume: 1 }
  await waitFor(async () => (await metric('sandglass_saved'))['image'] === 0)
  assert.deepEqual(await metric('sandglass_saved'), withStep)
  assert.deepEqual(await metric('sandglass_engine_disk_free_bytes'), { folder: 1_000_000 })
  assert.deepEqual(await metric('sandglass_engine_disk_bytes'), { folder: 4_000_000 })
})
