import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { makeSandbox } from '../packages/server/src/testing/make-sandbox.ts'
import { startTestService } from '../packages/server/src/testing/test-service.ts'
import { handleOf, machineOf } from './support/folder-engine/cluster.ts'
import { openCluster } from './support/folder-engine/open-cluster.ts'
import { paperEngines } from './support/paper-engine.ts'
import { sharedDatabase } from './support/shared-database.ts'

const { env } = await sharedDatabase()
const { cluster, folder } = await openCluster()

/** Creates a sandbox whose engine resolves `began` when it starts to pause it, and finishes when the test resolves `finish`. */
async function slowToPause() {
  const engines = paperEngines()
  const engine = engines.get('local') ?? assert.fail()
  const [began, finish] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  engine.pause = () => {
    began.resolve()
    return finish.promise
  }
  const service = await startTestService({}, async () => engines)
  return { service, engine, id: await makeSandbox(service, { shapeName: 'linux-desktop' }), began, finish }
}

test('a pause or resume that was not recorded because of a crash is undone by the next start', async () => {
  const before = await cluster.serve(env)
  const [running, paused] = [await makeSandbox(before), await makeSandbox(before)]
  await before.post(`~/sandboxes/${paused}/pause`)
  const [ofRunning, ofPaused] = [await handleOf(before, running), await handleOf(before, paused)]
  await before.service.close()
  await folder.pause(ofRunning)
  await folder.resume(ofPaused)

  const service = await cluster.serve({ ...env, SANDGLASS_DATA: before.folder })
  assert.deepEqual(await folder.inspect(ofRunning), { status: 'running' })
  assert.deepEqual(await folder.inspect(ofPaused), { status: 'paused' })
  const status = async (id: string) => (await service.get(`~/sandboxes/${id}/status`)).body.status
  assert.deepEqual([await status(running), await status(paused)], ['RUNNING', 'STOPPED'])
  assert.equal((await service.post(`~/sandboxes/${paused}/resume`)).status, 200)
  assert.equal(await status(paused), 'RUNNING')
  // The machine is available at once, although it could not be opened while it was paused.
  const { body } = await service.post(`~/sandboxes/${paused}/process`, { executable: 'true' })
  assert.notEqual(body.code, 'sandbox.UNREACHABLE')
})

test('a slow pause holds no lock, and the audit log has both the attempt and its end', async context => {
  const { service, id, began, finish } = await slowToPause()
  context.after(() => finish.resolve())
  const pausing = service.post(`~/sandboxes/${id}/pause`)
  await began.promise
  const outcomes = async () =>
    (await service.get('~/audit-log?operation=pauseSandbox')).body.entries.map(
      ({ outcome }: { outcome: string }) => outcome,
    )
  assert.deepEqual(await outcomes(), ['attempted'])
  const extended = await service.post(`~/sandboxes/${id}/extend`, { maxLifeSeconds: 700 })
  assert.equal(extended.status, 200, extended.text)
  finish.resolve()
  assert.equal((await pausing).status, 200)
  assert.deepEqual(await outcomes(), ['done', 'attempted'])
})

test('a pause answers 404 if the sandbox is deleted meanwhile, and the machine is destroyed', async context => {
  const { service, engine, id, began, finish } = await slowToPause()
  context.after(() => finish.resolve())
  const machine = await machineOf(service, id)
  const pausing = service.post(`~/sandboxes/${id}/pause`)
  await began.promise
  assert.equal((await service.delete(`~/sandboxes/${id}`)).status, 200)
  finish.resolve()
  assert.equal((await pausing).body.code, 'sandbox.NOT_FOUND')
  await waitFor(async () => !(await engine.list()).some(listed => listed.id === machine))
})
