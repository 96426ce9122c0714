import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { makeSandbox } from '../packages/server/src/testing/make-sandbox.ts'
import { startMachineService } from '../packages/server/src/testing/test-machines.ts'
import { startTestService, type TestService } from '../packages/server/src/testing/test-service.ts'
import { paperEngines } from './support/paper-engine.ts'
import { temporaryFolder } from './support/service-process.ts'
import { sharedDatabase } from './support/shared-database.ts'

const type = (content: string) => ({ type: 'keyboard:type', content, treatNewLineAsEnter: false })

const act = (service: TestService, id: string, action: object) =>
  service.post(`~/sandboxes/${id}/actions/execute`, { action })

async function actionsOf(service: TestService, id: string) {
  const { status, body, text } = await service.get(`~/sandboxes/${id}/actions?order=oldest`)
  assert.equal(status, 200, text)
  return body.actions
}

test('every node lists the actions that any of them performed, with screenshots, also when a node has stopped', async () => {
  const { env } = await sharedDatabase()
  const { service: here } = await startMachineService({ env })
  const elsewhere = await startTestService(env)
  const id = await makeSandbox(here)
  for (const service of [here, elsewhere])
    assert.equal((await act(service, id, type('from a node'))).status, 200)
  for (const service of [here, elsewhere]) {
    await waitFor(async () => (await actionsOf(service, id)).length === 2)
    for (const { action, actor, screenshotUrl } of await actionsOf(service, id)) {
      assert.deepEqual([action, actor.kind], [type('from a node'), 'apiKey'])
      assert.equal((await fetch(screenshotUrl)).status, 200)
    }
  }
  await act(here, id, type('at the end'))
  await here.service.close()
  const actions = await actionsOf(elsewhere, id)
  assert.deepEqual(actions.at(-1).action, type('at the end'), 'a service that stops writes what is waiting')
})

test('the timeline survives a restart, and keeps no arguments if it is told so', async () => {
  const engines = paperEngines()
  const env = { SANDGLASS_DATA: await temporaryFolder() }
  const start = (more = {}) => startTestService({ ...env, ...more }, async () => engines)
  const before = await start()
  const { body } = await before.post('~/sandboxes', { shape: 'linux-desktop', wait: 60 })
  const { code } = (await act(before, body.id, type('before'))).body
  await before.service.close()

  const after = await start({ SANDGLASS_ACTION_ARGUMENTS: 'omit' })
  await waitFor(async () => (await after.get(`~/sandboxes/${body.id}/status`)).body.status === 'RUNNING')
  await act(after, body.id, type('after'))
  await waitFor(async () => (await actionsOf(after, body.id)).length === 2)
  const [first, second] = await actionsOf(after, body.id)
  assert.deepEqual([first.type, first.outcome, first.action], ['keyboard:type', code, type('before')])
  assert.deepEqual([second.type, second.action], ['keyboard:type', null])
})
