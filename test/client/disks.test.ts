import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Sandbox, Sandglass } from '@sandglass/client'
import { cleanup } from '../../packages/server/src/testing/cleanup.ts'
import { startMachineService } from '../../packages/server/src/testing/test-machines.ts'

const { service } = await startMachineService()
const client = new Sandglass(service.service.credentials)

test('a disk is saved, restored, forked, kept as an image, and hibernated', async () => {
  const box = cleanup.use(await Sandbox.create({ client }))
  await box.files.write('state', 'one')
  const snapshot = await box.snapshot({ name: 'first' })
  assert.deepEqual([snapshot.status, snapshot.name], ['READY', 'first'])
  await box.files.write('state', 'two')
  const [copies, image] = await Promise.all([
    box.forks(1, { name: 'copy', lifeSeconds: 600 }),
    box.saveImage('two'),
  ])
  const [copy] = copies
  assert.ok(copy)
  cleanup.use(copy)
  assert.deepEqual([(await copy.info()).name, await copy.files.readText('state')], ['copy', 'two'])
  await copy.delete()
  await box.restore(snapshot.id)
  assert.equal(await box.files.readText('state'), 'one')
  assert.deepEqual(
    (await box.snapshots()).map(({ id }) => id),
    [snapshot.id],
  )
  await box.deleteSnapshot(snapshot.id)
  assert.deepEqual(await box.snapshots(), [])
  await box.hibernate()
  assert.equal((await box.info()).hibernated, true)
  await box.resume()
  assert.equal(await box.files.readText('state'), 'one')
  {
    await using again = await Sandbox.create({ client, image: image.id })
    assert.equal(await again.files.readText('state'), 'two')
  }
  await client.deleteMachineImage({ imageId: image.id })
})
