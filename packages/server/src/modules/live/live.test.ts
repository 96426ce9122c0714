import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LiveClient } from '@sandglass/gateway/testing'
import { waitFor } from '@sandglass/machines/testing'
import { LiveViewer } from '@sandglass/protocol'
import { LiveDesktop } from '../../testing/live-desktop.ts'
import { connectDetails, enter, viewerOf } from '../../testing/live-viewer.ts'
import { runningSandbox } from '../../testing/sandbox-programs.ts'
import { startMachineService } from '../../testing/test-machines.ts'

const { service } = await startMachineService()
const sandbox = await runningSandbox(service)
const desktop = new LiveDesktop(service, sandbox)

const keys = { shift: 0xffe1, control: 0xffe3, s: 0x73, a: 0x61, A: 0x41, v: 0x76, c: 0x63 }

function strike(viewer: LiveClient, ...keysyms: number[]): void {
  for (const keysym of keysyms) viewer.do({ type: 'key', keysym, isDown: true })
  for (const keysym of keysyms.toReversed()) viewer.do({ type: 'key', keysym, isDown: false })
}

const at = (x: number, y: number, buttons = 0) => ({ type: 'pointer', x, y, buttons }) as const

/** Returns the colour of the first pixel, such as ff0000. */
function colourOf({ canvas }: LiveClient): string {
  return Buffer.from(canvas?.rgba.slice(0, 3) ?? []).toString('hex')
}

async function isAt(x: number, y: number): Promise<boolean> {
  const pointer = await desktop.pointer()
  return pointer.x === x && pointer.y === y
}

test('a viewer sees the whole desktop first, and then its changes', async () => {
  const ada = await viewerOf(service, sandbox)
  const scope = ['view', 'input', 'clipboard:read', 'clipboard:write', 'force']
  assert.deepEqual(ada.last('welcome')?.scope, scope)
  assert.deepEqual(ada.lease?.holder, { kind: 'agent' })
  const canvas = await ada.until(() => ada.canvas)
  assert.deepEqual([canvas.width, canvas.height], [1280, 720])
  for (const colour of ['336699', '102030']) {
    await desktop.paint(colour)
    await ada.until(() => colourOf(ada) === colour)
  }
  ada.close()
})

test('a person in control points, clicks, scrolls, types in any script and touches', async () => {
  const ada = await viewerOf(service, sandbox)
  await desktop.openEditor('/tmp/typed.txt')
  await ada.takeControl()
  ada.do(at(321, 123, 1))
  await waitFor(async () => (await isAt(321, 123)) && (await desktop.held()).buttons === 1)
  ada.do(at(5000, 5000, 0))
  await waitFor(async () => (await isAt(1279, 719)) && (await desktop.held()).buttons === 0)
  ada.do({ type: 'touch', finger: 3, phase: 'start', x: 640, y: 300 })
  ada.do({ type: 'touch', finger: 4, phase: 'start', x: 9, y: 9 })
  await waitFor(async () => (await isAt(640, 300)) && (await desktop.held()).buttons === 1)
  ada.do({ type: 'touch', finger: 3, phase: 'end', x: 641, y: 301 })
  await waitFor(async () => (await isAt(641, 301)) && (await desktop.held()).buttons === 0)
  ada.do({ type: 'text', text: 'Grüße, 世界 😀 ' })
  ada.do({ type: 'key', keysym: keys.shift, isDown: true })
  strike(ada, keys.A)
  ada.do({ type: 'key', keysym: keys.shift, isDown: false })
  strike(ada, keys.a)
  strike(ada, keys.control, keys.s)
  await waitFor(async () => (await desktop.shell('cat /tmp/typed.txt')) === 'Grüße, 世界 😀 Aa')
  ada.do({ type: 'wheel', x: 600, y: 400, deltaX: 0, deltaY: 60 })
  ada.do({ type: 'wheel', x: 601, y: 400, deltaX: 0, deltaY: 60 })
  await waitFor(() => isAt(601, 400))
  ada.close()
})

test('those who watch are listed, with the one who is in control, until they leave', async () => {
  const list = async () => LiveViewer.array().parse((await service.get(`${sandbox}/live/viewers`)).body)
  await waitFor(async () => (await list()).length === 0)
  const ada = await viewerOf(service, sandbox, { name: 'Ada' })
  const bob = await viewerOf(service, sandbox, { name: 'Bob' })
  await bob.takeControl()
  await waitFor(async () => (await list()).some(({ isInControl }) => isInControl))
  const viewers = await list()
  assert.deepEqual(
    viewers.map(({ since: _, ...viewer }) => viewer),
    [
      { id: ada.viewer, name: 'Ada', isInControl: false },
      { id: bob.viewer, name: 'Bob', isInControl: true },
    ],
  )
  for (const { since } of viewers) assert.ok(Math.abs(Date.parse(since) - Date.now()) < 600_000)
  bob.close()
  ada.close()
  await waitFor(async () => (await list()).length === 0)
  assert.equal((await service.get('~/sandboxes/absent/live/viewers')).status, 404)
})

test('a viewer without input rights cannot act, even with forged messages', async () => {
  const { body } = await service.post(`${sandbox}/live/tokens`, { scope: ['view'] })
  const [ada, bob] = [await viewerOf(service, sandbox), await enter(body)]
  await bob.message('lease')
  await ada.takeControl()
  ada.do(at(50, 60))
  await waitFor(() => isAt(50, 60))
  bob.say({ kind: 'take' })
  await bob.message('refused')
  bob.say({ kind: 'take', force: true })
  bob.say({ kind: 'answer', viewer: ada.viewer, grant: true })
  bob.say({ kind: 'handBack' })
  await bob.until(() => bob.lease?.number === ada.lease?.number)
  bob.do(at(700, 600, 1))
  bob.do({ type: 'text', text: 'forged' })
  bob.paste('forged')
  bob.say({ kind: 'renew' })
  await bob.message('token')
  ada.do(at(70, 80))
  await waitFor(() => isAt(70, 80))
  assert.equal((await desktop.held()).buttons, 0)
  assert.ok(ada.holds)
  ada.close()
  bob.close()
})

test('two people pass control by asking, and by force if that is allowed', async () => {
  const member = await service.keyOf('member')
  const ada = await viewerOf(service, sandbox, { name: 'Ada' })
  const bob = await viewerOf(service, sandbox, { name: 'Bob', key: member })
  await ada.takeControl()
  const { number } = await ada.until(() => ada.lease)
  bob.say({ kind: 'take' })
  assert.deepEqual(await ada.message('asked'), { kind: 'asked', viewer: bob.viewer, name: 'Bob' })
  ada.say({ kind: 'answer', viewer: bob.viewer, grant: false })
  await bob.message('refused')
  bob.say({ kind: 'take', force: true })
  await bob.until(() => bob.messages.filter(({ kind }) => kind === 'refused').length === 2)
  bob.say({ kind: 'take' })
  await ada.until(() => ada.messages.filter(({ kind }) => kind === 'asked').length === 2)
  ada.do({ type: 'key', keysym: keys.control, isDown: true })
  ada.do(at(90, 90, 1))
  await waitFor(async () => (await desktop.held()).keys === 1 && (await desktop.held()).buttons === 1)
  ada.say({ kind: 'answer', viewer: bob.viewer, grant: true })
  await bob.until(() => bob.holds)
  await waitFor(async () => (await desktop.held()).keys === 0 && (await desktop.held()).buttons === 0)
  ada.do({ ...at(200, 200, 1), lease: number })
  ada.do({ ...at(200, 200, 1), lease: bob.lease?.number ?? 0 })
  bob.do({ ...at(210, 210), lease: number })
  bob.do(at(220, 220))
  await waitFor(() => isAt(220, 220))
  ada.say({ kind: 'take', force: true })
  await ada.until(() => ada.holds)
  await bob.until(() => !bob.holds)
  ada.say({ kind: 'handBack' })
  await bob.until(() => bob.lease?.holder.kind === 'agent')
  ada.close()
  bob.close()
})

test('a viewer that reconnects soon still has control', async () => {
  const connect = await connectDetails(service, sandbox)
  const ada = await enter(connect)
  await ada.message('lease')
  const bob = await viewerOf(service, sandbox)
  await ada.takeControl()
  ada.do({ type: 'key', keysym: keys.shift, isDown: true })
  await waitFor(async () => (await desktop.held()).keys === 1)
  ada.close()
  await waitFor(async () => (await desktop.held()).keys === 0)
  assert.equal((await service.get(sandbox)).body.sandbox.control, 'user')
  const again = await enter(connect)
  await again.until(() => again.holds)
  assert.deepEqual(bob.lease?.holder.kind, 'person')
  again.say({ kind: 'handBack' })
  await bob.until(() => bob.lease?.holder.kind === 'agent')
  again.close()
  bob.close()
})

test('the clipboard is shared in both directions with viewers that have the right', async () => {
  const { body } = await service.post(`${sandbox}/live/tokens`, { scope: ['view', 'input'] })
  const [ada, blind] = [await viewerOf(service, sandbox), await enter(body)]
  await blind.message('lease')
  await desktop.openEditor('/tmp/pasted.txt')
  ada.paste('too early')
  await ada.takeControl()
  ada.paste('Ελλάδα 😀\nzwei')
  await waitFor(async () => {
    strike(ada, keys.control, keys.a)
    strike(ada, keys.control, keys.v)
    strike(ada, keys.control, keys.s)
    return (await desktop.shell('cat /tmp/pasted.txt')) === 'Ελλάδα 😀\nzwei'
  })
  strike(ada, keys.control, keys.a)
  ada.do({ type: 'text', text: 'copied 世界' })
  strike(ada, keys.control, keys.a)
  strike(ada, keys.control, keys.c)
  await ada.until(() => ada.clipboards.includes('copied 世界'))
  const late = await viewerOf(service, sandbox)
  await late.until(() => late.clipboards.includes('copied 世界'))
  assert.deepEqual(blind.clipboards, [])
  for (const viewer of [ada, blind, late]) viewer.close()
})

test('viewers see the machine leave and return during a restart, and the agent has control afterwards', async () => {
  const ada = await viewerOf(service, sandbox)
  await ada.takeControl()
  await ada.until(() => ada.canvas)
  const restart = service.post(`${sandbox}/restart`)
  assert.equal((await ada.message('machine')).isThere, false)
  const { pictures } = ada
  await ada.until(() => ada.last('machine')?.isThere === true)
  await ada.until(() => ada.pictures > pictures)
  assert.equal((await restart).status, 200)
  assert.deepEqual(ada.lease?.holder, { kind: 'agent' })
  await ada.takeControl()
  ada.do(at(33, 44))
  await waitFor(() => isAt(33, 44))
  ada.close()
})

test('viewers see that the machine is away during a pause', async () => {
  const ada = await viewerOf(service, sandbox)
  await service.post(`${sandbox}/pause`)
  await ada.until(() => ada.last('machine')?.isThere === false)
  const late = await viewerOf(service, sandbox)
  assert.equal((await late.message('machine')).isThere, false)
  await service.post(`${sandbox}/resume`)
  for (const viewer of [ada, late]) await viewer.until(() => viewer.canvas && viewer.last('machine')?.isThere)
  ada.close()
  late.close()
})

test('one viewer of ten that stops reading does not delay the others', async () => {
  const viewers = await Promise.all(Array.from({ length: 10 }, () => viewerOf(service, sandbox)))
  const [stalled, ...others] = viewers
  assert.ok(stalled)
  stalled.isResponsive = false
  stalled.stream.pause()
  for (const colour of ['ff0000', '00ff00', '0000ff', 'ffff00', 'a020f0']) await desktop.paint(colour)
  await Promise.all(others.map(viewer => viewer.until(() => colourOf(viewer) === 'a020f0')))
  stalled.stream.resume()
  stalled.isResponsive = true
  for (const viewer of viewers) viewer.close()
})

test('input of a person renews the idle timeout', async () => {
  const brief = await runningSandbox(service, { idleSeconds: 60 })
  const idleAt = async () => {
    const row = await service.pool.db
      .selectFrom('sandboxes')
      .select('idle_at')
      .where('id', '=', brief.replace('~/sandboxes/', ''))
      .executeTakeFirstOrThrow()
    return row.idle_at?.getTime() ?? 0
  }
  const ada = await viewerOf(service, brief)
  await ada.takeControl()
  const before = await idleAt()
  await waitFor(async () => {
    ada.do(at(1, 1))
    return (await idleAt()) > before
  })
  await service.remove(brief)
})
