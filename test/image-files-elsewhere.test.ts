import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { builtImage } from '../packages/server/src/testing/build-image.ts'
import { exportImage, importImage, refusalOf } from '../packages/server/src/testing/image-files.ts'
import { runInSandbox } from '../packages/server/src/testing/run-in-sandbox.ts'
import { startMachineService, testShapes } from '../packages/server/src/testing/test-machines.ts'
import { startTestService } from '../packages/server/src/testing/test-service.ts'
import { sharedDatabase } from './support/shared-database.ts'

const { env, folder } = await sharedDatabase()
const machines = await startMachineService({ env })
const { service: owner, engine } = machines
const front = await startTestService({
  ...env,
  SANDGLASS_SHAPES: await testShapes(folder, 0),
  SANDGLASS_MACHINES: 'none',
})
const imageId = await builtImage(owner, 'echo over there > /srv/note')
await waitFor(async () => (await engine.list()).length === 0)
const exported = await exportImage(front, imageId)
const file = Buffer.from(await exported.arrayBuffer())

test('a process without machines passes an export on, whole and with its length', async () => {
  assert.equal(exported.status, 200, file.toString('utf8', 0, 500))
  assert.equal(Number(exported.headers.get('content-length')), file.length)
  await waitFor(async () => (await engine.list()).length === 0)
})

test('a process without machines passes an import on to a node that has them, if it knows the shape', async () => {
  const unnamed = await importImage(front, file, { name: 'unnamed' })
  assert.deepEqual([unnamed.status, unnamed.body.code], [400, 'request.INVALID'])
  assert.match(unnamed.body.message, /shapeName: must be given/)
  const { status, body } = await importImage(front, file, { name: 'moved', shapeName: 'small' })
  assert.deepEqual([status, body.status], [200, 'READY'], JSON.stringify(body))
  const from = { imageId: body.id, name: 'copy', maxLifeSeconds: 600, wait: 60 }
  const { body: made } = await front.post('~/sandboxes/from-image', from)
  assert.equal(made.sandbox.status, 'RUNNING', made.sandbox.reason)
  assert.equal(await runInSandbox(machines, made.sandbox.id, 'cat /srv/note'), 'over there')
  const refused = await importImage(front, Buffer.from('x'.repeat(2000)), { name: 'bad', shapeName: 'small' })
  assert.deepEqual([refused.status, refused.body.code], [400, 'image.FILE'])
  await owner.remove(`~/sandboxes/${made.sandbox.id}`)
  await waitFor(async () => (await engine.list()).length === 0)
})

test('a caller that leaves a process without machines ends the export on the node that has the image', async () => {
  const leaving = new AbortController()
  const exporting = exportImage(front, imageId, undefined, leaving.signal)
  await waitFor(async () => (await engine.list()).length === 1)
  leaving.abort()
  await assert.rejects(exporting)
  await waitFor(async () => (await engine.list()).length === 0)
})

test('the image of a node that does not answer is a 503 that says so', async () => {
  await owner.service.close()
  const response = await exportImage(front, imageId)
  assert.deepEqual(await refusalOf(response), [503, 'node.GONE'])
  const imported = await importImage(front, file, { name: 'late', shapeName: 'small' })
  assert.equal(imported.status, 503, JSON.stringify(imported.body))
})
