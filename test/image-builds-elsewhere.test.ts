import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import type { BuildEvent } from '@sandglass/protocol'
import { build } from '../packages/server/src/testing/build-image.ts'
import { makeSandbox } from '../packages/server/src/testing/make-sandbox.ts'
import { handleOf } from './support/folder-engine/cluster.ts'
import { startTwoNodes } from './support/folder-engine/open-cluster.ts'

const { folder, owner, other } = await startTwoNodes()

function finished(events: readonly BuildEvent[]) {
  const last = events.at(-1)
  assert.ok(last?.event === 'finished', JSON.stringify(last))
  return last.image
}

test('a build from an image runs on the node that has its disk, and shares the disk', async () => {
  const id = await makeSandbox(owner)
  folder.write(await handleOf(owner, id), 'over there')
  const { body: base } = await owner.post('~/machine-images', { sandboxId: id, name: 'base' })
  const steps = [{ env: { GREETING: 'hello' } }]
  const image = finished(await build(other, { from: { imageId: base.id }, steps, name: 'built' }))
  assert.equal(image.status, 'READY')
  assert.equal((await folder.snapshots.list()).length, 1)
  // The disk stays as long as one of the two has it.
  assert.equal((await other.delete(`~/machine-images/${base.id}`)).status, 204)
  const copy = { imageId: image.id, name: 'copy', maxLifeSeconds: 600, wait: 30 }
  const { body } = await other.post('~/sandboxes/from-image', copy)
  assert.equal(body.sandbox.status, 'RUNNING', body.sandbox.reason)
  assert.equal(folder.diskOf(await handleOf(owner, body.sandbox.id)), 'over there')
  assert.equal((await other.delete(`~/machine-images/${image.id}`)).status, 204)
  await waitFor(async () => (await folder.snapshots.list()).length === 0)
  for (const sandbox of [id, body.sandbox.id]) await owner.remove(`~/sandboxes/${sandbox}`)
  await waitFor(async () => (await folder.list()).length === 0)
})

test('a build from a shape runs on a node with capacity, and leaves no machine', async () => {
  const steps = [{ env: { GREETING: 'hello' } }]
  const image = finished(await build(other, { from: { shapeName: 'small' }, steps, name: 'variables' }))
  assert.equal(image.status, 'READY')
  await waitFor(async () => (await folder.list()).length === 0)
  assert.equal((await folder.snapshots.list()).length, 1)
})
