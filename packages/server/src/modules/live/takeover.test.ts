import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { eventsWhen } from '../../testing/events-when.ts'
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

test('viewers learn what the agent asks for, even those who come later, until control is handed back', async () => {
  const message = 'Please sign in.'
  const ada = await viewerOf(service, sandbox)
  await act({ type: 'client:user-takeover', message })
  await ada.until(() => ada.lease?.message === message)
  ada.close()
  const newest = `${sandbox}/events?types=sandbox.control.requested&order=newest&limit=1`
  await eventsWhen(service, newest, ([event]) => event?.data['message'] === message)
  const grace = await viewerOf(service, sandbox, { name: 'Grace' })
  assert.equal(grace.lease?.message, message)
  await act({ type: 'client:user-takeover', message: 'Please sign in, then choose a plan.' })
  await grace.until(() => grace.lease?.message === 'Please sign in, then choose a plan.')
  await grace.takeControl()
  assert.ok(grace.lease?.message)
  grace.say({ kind: 'handBack' })
  await grace.until(() => grace.lease?.holder.kind === 'agent' && grace.lease.message === undefined)
  grace.close()
})

test('viewers learn of the sandbox, of each other, and of what the agent does', async () => {
  const [ada, grace] = [
    await viewerOf(service, sandbox, { name: 'Ada' }),
    await viewerOf(service, sandbox, { name: 'Grace' }),
  ]
  await ada.until(() => ada.last('viewers')?.count === 2)
  assert.deepEqual(
    ada.last('viewers')?.viewers.map(({ name }) => name),
    ['Ada', 'Grace'],
  )
  const { name, expiresAt } = (await service.get(sandbox)).body.sandbox
  const said = await ada.message('sandbox')
  assert.deepEqual(
    [said.name, said.status, said.isPhone, said.expiresAt],
    [name, 'running', false, expiresAt],
  )
  assert.equal((await act({ type: 'keyboard:type', content: 'secret' })).status, 200)
  await ada.until(() => ada.last('action')?.text === 'Typing 6 characters')
  const extended = await service.post(`${sandbox}/extend`, { maxLifeSeconds: 5000 })
  assert.equal(extended.status, 200)
  await ada.until(() => ada.last('sandbox')?.expiresAt !== expiresAt)
  assert.equal(ada.last('sandbox')?.expiresAt, (await service.get(sandbox)).body.sandbox.expiresAt)
  grace.close()
  await ada.until(() => ada.last('viewers')?.count === 1)
  ada.close()
})
