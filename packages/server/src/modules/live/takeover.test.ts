import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { LiveDesktop } from '../../testing/live-desktop.ts'
import { viewerOf } from '../../testing/live-viewer.ts'
import { runningSandbox } from '../../testing/sandbox-programs.ts'
import { startMachineService } from '../../testing/test-machines.ts'

const { service } = await startMachineService({ env: { SANDGLASS_TAKEOVER: 'wait' } })
const sandbox = await runningSandbox(service)
const desktop = new LiveDesktop(service, sandbox)

const act = (action: object) =>
  service.post(`${sandbox}/actions/execute`, { action, includeScreenShot: false })
const move = (x: number, y: number) => {
  const px = (value: number) => ({ type: 'px', value })
  return { type: 'mouse:move', x: px(x), y: px(y) }
}

test('a waiting agent continues when the person hands back control', async () => {
  const ada = await viewerOf(service, sandbox)
  await act({ type: 'key:down', key: 'shift' })
  assert.equal((await act({ type: 'client:user-takeover' })).status, 200)
  await ada.until(() => ada.lease?.holder.kind === 'nobody')
  await waitFor(async () => (await desktop.held()).keys === 0)
  // Retry, because the agent waits only a few seconds and on a slow host the person may hand back too late.
  await waitFor(async () => {
    await ada.takeControl()
    ada.do({ type: 'pointer', x: 10, y: 20, buttons: 1 })
    await waitFor(async () => (await desktop.pointer()).x === 10 && (await desktop.held()).buttons === 1)
    const waiting = act(move(77, 88))
    assert.equal((await act({ type: 'screenshot' })).status, 200, 'a screenshot does not wait for a person')
    ada.say({ kind: 'handBack' })
    const { status, body } = await waiting
    if (status !== 200) return false
    assert.deepEqual([body.cursorPosition.x, body.cursorPosition.y], [77, 88])
    return true
  })
  assert.equal((await desktop.held()).buttons, 0)
  ada.close()
})

test('an agent that waits too long is refused before its client times out', async () => {
  await act({ type: 'client:user-takeover' })
  const { status, body } = await act(move(1, 1))
  assert.deepEqual([status, body.code], [409, 'sandbox.TAKEN_OVER'])
  const waiting = act(move(5, 6))
  const recall = await service.call('PUT', `${sandbox}/control`, { body: { holder: 'agent' } })
  assert.equal(recall.status, 200)
  assert.equal((await waiting).status, 200)
})

test('the sandbox says that a person is needed until one takes control, and then who it is', async () => {
  const shown = async () => (await service.get(sandbox)).body.sandbox
  const ada = await viewerOf(service, sandbox)
  await act({ type: 'client:user-takeover' })
  assert.deepEqual((await shown()).personNeeded, { message: null })
  await ada.takeControl()
  await waitFor(async () => (await shown()).personNeeded === undefined)
  assert.equal((await shown()).controlledBy, 'Ada')
  ada.say({ kind: 'handBack' })
  await waitFor(async () => (await shown()).control === 'agent')
  assert.equal((await shown()).controlledBy, undefined)
  ada.close()
})

test('a person takes control without being asked, and the API takes it back', async () => {
  const ada = await viewerOf(service, sandbox)
  await ada.takeControl()
  await waitFor(async () => (await service.get(sandbox)).body.sandbox.control === 'user')
  await service.call('PUT', `${sandbox}/control`, { body: { holder: 'agent' } })
  await ada.until(() => ada.lease?.holder.kind === 'agent')
  assert.equal((await act(move(9, 9))).status, 200)
  await waitFor(async () => (await service.get(sandbox)).body.sandbox.control === 'agent')
  ada.close()
})
