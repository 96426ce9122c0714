import assert from 'node:assert/strict'
import { afterEach, describe, it } from 'node:test'
import { patienceMs } from '@sandglass/machines/testing'
import { encodeFrame } from '@sandglass/wire/frames'
import fc from 'fast-check'
import type { RoomLimits } from './rooms.ts'
import { FakeRoomHost } from './testing/fake-room-host.ts'
import type { RoomTimeouts } from './timeouts.ts'

const hosts: FakeRoomHost[] = []
afterEach(async () => {
  for (const host of hosts.splice(0)) {
    await host.close()
    assert.deepEqual(host.faults, [])
    assert.equal(host.rooms.viewers, 0)
  }
})

/** Nobody is given up for being slow, unless the test is about that. */
const patient = { helloMs: patienceMs, absenceMs: patienceMs }

function open(timeouts: Partial<RoomTimeouts> = {}, limits?: Partial<RoomLimits>): FakeRoomHost {
  const host = new FakeRoomHost({ ...patient, ...timeouts }, limits)
  hosts.push(host)
  return host
}

const at = (x: number, y: number, buttons = 0) => ({ type: 'pointer', x, y, buttons }) as const

describe('a room', () => {
  it('is there while somebody is in it, and the screen is watched no longer than that', async () => {
    const host = open()
    const [ada, bob] = [await host.viewer('Ada'), await host.viewer('Bob')]
    await ada.until(() => ada.canvas)
    assert.deepEqual([ada.viewer, bob.viewer, host.rooms.viewers], ['v1', 'v2', 2])
    ada.close()
    bob.close()
    await bob.until(() => host.rooms.find('room') === undefined && host.machine.fakeScreen.watcherCount === 0)
    assert.equal(host.machine.copyWatchers.size, 0)
  })

  it('goes on without its machine, and shows the whole screen when that is back', async () => {
    const host = open()
    const ada = await host.viewer('Ada')
    await ada.until(() => ada.canvas)
    host.isMachineThere = false
    host.rooms.changed('room')
    assert.equal((await ada.message('machine')).isThere, false)
    const { pictures } = ada
    host.isMachineThere = true
    host.rooms.changed('room')
    await ada.until(() => ada.last('machine')?.isThere && ada.pictures > pictures)
  })

  it('tries again when the screen cannot be watched', async () => {
    const host = open({ reopenMs: 5 })
    host.machine.blindness = 2
    const ada = await host.viewer('Ada')
    await ada.until(() => ada.canvas)
    assert.equal(host.machine.blindness, 0)
  })

  it('takes so many viewers and not more, and so many peers that have not said who they are', async () => {
    const host = open({}, { perRoom: 2, total: 4 })
    await host.viewer('Ada')
    await host.viewer('Bob')
    const third = await host.connect()
    third.hello({ room: 'room', token: 'Cleo view' })
    assert.equal((await third.goodbye()).code, 'live.FULL')
    const silent = [await host.connect(), await host.connect()]
    const fifth = await host.connect()
    assert.deepEqual((await fifth.goodbye()).code, 'live.FULL')
    assert.ok(silent.every(({ isClosed }) => !isClosed))
    silent[0]?.close()
    await third.until(() => host.rooms.viewers === 3)
    const sixth = await host.connect()
    sixth.hello({ room: 'another', token: 'Dora view' })
    await sixth.message('welcome')
  })

  it('waits for a few strangers of an address at a time', async () => {
    const host = open({}, { unauthenticated: 2 })
    const [first] = [await host.connect(), await host.connect()]
    assert.equal((await (await host.connect()).goodbye()).code, 'live.FULL')
    first?.hello({ room: 'room', token: 'Ada view' })
    await first?.message('welcome')
    await host.viewer('Bob')
  })

  it('tells everybody goodbye when the service stops', async () => {
    const host = open()
    const ada = await host.viewer('Ada')
    const [closed, words] = await Promise.all([host.rooms.close(), ada.goodbye()])
    assert.deepEqual([closed, words.code, words.isFinal], [undefined, 'live.CLOSING', false])
    assert.equal((await (await host.connect()).goodbye()).code, 'live.CLOSING')
  })
})

describe('hands', () => {
  it('do what they are told in order, and nothing of who has not the control', async () => {
    const host = open()
    const [ada, bob] = [await host.viewer('Ada'), await host.viewer('Bob')]
    ada.do(at(1, 1))
    await ada.takeControl()
    bob.do({ ...at(2, 2), lease: ada.lease?.number ?? 0 })
    ada.do(at(3, 4, 1))
    ada.do(at(99, 99, 3))
    ada.do({ type: 'key', keysym: 97, isDown: true })
    ada.do({ type: 'key', keysym: 97, isDown: true })
    ada.do({ type: 'key', keysym: 97, isDown: false })
    ada.do({ type: 'key', keysym: 98, isDown: false })
    ada.do({ type: 'text', text: 'é' })
    ada.do(at(5, 5))
    ada.do({ type: 'releaseAll' })
    const { actions } = host.machine
    await ada.until(() => actions.filter(action => action === 'release all').length === 2)
    assert.deepEqual(actions, [
      ...['release all', 'move 3 4', 'press left', 'move 63 47', 'press right', 'down 97', 'up 97', 'type é'],
      ...['move 5 5', 'release left', 'release right', 'release all'],
    ])
    assert.ok(host.uses > 0)
  })

  it('turn the wheel by whole notches, of which parts add up', async () => {
    const host = open()
    const ada = await host.viewer('Ada')
    await ada.takeControl()
    for (const [deltaX, deltaY] of [
      [0, 70],
      [0, 70],
      [0, -60],
      [0, -60],
      [-240, 0],
      [0, 32_000],
    ] as const)
      ada.do({ type: 'wheel', x: 1, y: 1, deltaX, deltaY })
    ada.do({ type: 'text', text: 'end' })
    const { actions } = host.machine
    await ada.until(() => actions.includes('type end'))
    const presses = actions.filter(action => action.startsWith('press'))
    assert.deepEqual(presses, [
      ...['press wheelDown', 'press wheelUp', 'press wheelLeft', 'press wheelLeft'],
      ...Array<string>(20).fill('press wheelDown'),
    ])
  })

  it('leave out where the pointer was, and give up what a machine does not take', async () => {
    const host = open()
    const ada = await host.viewer('Ada')
    await ada.takeControl()
    const { promise, resolve } = Promise.withResolvers<void>()
    host.machine.hold = promise
    for (let x = 0; x < 40; x++) ada.do(at(x, 0))
    for (let count = 0; count < 600; count++) ada.do({ type: 'key', keysym: 97, isDown: count % 2 === 0 })
    ada.say({ kind: 'renew' })
    await ada.message('token')
    resolve()
    const { actions } = host.machine
    await ada.until(() => actions.filter(action => action === 'release all').length === 2)
    assert.ok(actions.filter(action => action.startsWith('move')).length <= 2)
    assert.ok(actions.length < 200)
  })

  it('let go when the person who holds something down cannot be heard', async () => {
    const host = open({ unheardMs: 40 })
    const ada = await host.viewer('Ada')
    await ada.takeControl()
    ada.do({ type: 'key', keysym: 97, isDown: true })
    const { actions } = host.machine
    await ada.until(() => actions.includes('down 97'))
    ada.isLively = false
    await ada.until(() => actions.at(-1) === 'release all')
    assert.ok(ada.holds && !ada.isClosed)
  })
})

describe('the control', () => {
  it('is lost by who is gone for too long: to the agent, who is told when the hands are off', async () => {
    const host = open({ absenceMs: 20 })
    const ada = await host.viewer('Ada')
    const bob = await host.viewer('Bob')
    await ada.takeControl()
    ada.close()
    await bob.until(() => bob.lease?.holder.kind === 'agent')
    await bob.until(() => host.controls.length === 2)
    assert.deepEqual(host.controls, ['user', 'agent'])
  })

  it('is kept for a while in a room that everybody left', async () => {
    const host = open()
    const ada = await host.viewer('Ada')
    await ada.takeControl()
    ada.close()
    await ada.until(() => host.machine.fakeScreen.watcherCount === 0)
    assert.ok(host.rooms.find('room'))
    const again = await host.viewer('Ada')
    assert.ok(again.holds)
  })
})

describe('a clipboard', () => {
  it('is read and written by who may, and told so often at the most', async () => {
    const host = open()
    const [ada, bob] = [await host.viewer('Ada'), await host.viewer('Bob', ['view', 'input'])]
    await ada.until(() => host.machine.copyWatchers.size === 1)
    for (let count = 0; count <= 1000; count++)
      for (const tell of host.machine.copyWatchers) tell(`copy ${count}`)
    await ada.until(() => ada.clipboards.at(-1) === 'copy 1000')
    assert.equal(ada.clipboards.length, 1)
    ada.paste('not in control')
    await ada.takeControl()
    ada.paste('mine')
    await ada.until(() => host.machine.pasted.length > 0)
    ada.say({ kind: 'handBack' })
    await bob.until(() => bob.lease?.holder.kind === 'agent')
    await bob.takeControl()
    bob.paste('no right')
    bob.say({ kind: 'renew' })
    await bob.message('token')
    assert.deepEqual([host.machine.pasted, bob.clipboards], [['mine'], []])
  })
})

describe('a peer', () => {
  it('that says no hello in time is told so', async () => {
    const host = open({ helloMs: 10 })
    assert.equal((await (await host.connect()).goodbye()).code, 'live.NO_HELLO')
  })

  it('that sends garbage is told so and dropped, before it was let in and after', async () => {
    const host = open({}, { perRoom: 1000, total: 1000 })
    await fc.assert(
      fc.asyncProperty(fc.boolean(), fc.uint8Array({ minLength: 6, maxLength: 300 }), async (isIn, bytes) => {
        const peer = isIn ? await host.viewer('Ada') : await host.connect()
        // A frame that is none: a length beyond all limits, then anything.
        peer.stream.write(Buffer.concat([Buffer.from([0xff]), bytes]))
        assert.equal((await peer.goodbye()).code, 'live.PROTOCOL')
      }),
      { numRuns: 60 },
    )
    for (const frame of [
      encodeFrame(0, 1, Buffer.from('{"kind":"welcome"}')),
      encodeFrame(0, 2),
      encodeFrame(1, 1),
      encodeFrame(2, 1),
      encodeFrame(3, 1, Buffer.from('short')),
      encodeFrame(4, 1, Buffer.from([0xff, 0xfe])),
      encodeFrame(77, 1),
      encodeFrame(3, 4, Buffer.alloc(65 * 1024)),
      encodeFrame(4, 1, Buffer.alloc(1024 * 1024 + 1)),
    ]) {
      const ada = await host.viewer('Ada')
      ada.stream.write(frame)
      assert.equal((await ada.goodbye()).code, 'live.PROTOCOL')
    }
  })

  it('that floods any channel is told so and dropped', async () => {
    const host = open()
    const frames = {
      control: encodeFrame(0, 1, Buffer.from('{"kind":"take"}')),
      picture: encodeFrame(1, 0x82),
      input: encodeFrame(3, 6, Buffer.alloc(4)),
      clipboard: encodeFrame(4, 1, Buffer.alloc(1000)),
      statistics: encodeFrame(5, 1, Buffer.alloc(4)),
    }
    for (const frame of Object.values(frames)) {
      const ada = await host.viewer('Ada')
      const flood = Buffer.concat(Array.from({ length: 2000 }, () => frame))
      // More is allowed while this process is held up, so that it goes on until it is too much.
      await ada.until(() => {
        if (!ada.isClosed) ada.stream.write(flood)
        return ada.isClosed
      })
      assert.equal((await ada.goodbye()).code, 'live.TOO_FAST')
    }
  })

  it('that takes nothing, or is not heard, is dropped, and little waits for it', async () => {
    const host = open({ patienceMs: 10_000, pingEveryMs: 100 })
    const [ada, deaf] = [await host.viewer('Ada'), await host.viewer('Bob')]
    await ada.until(() => ada.canvas)
    deaf.stream.pause()
    for (let count = 0; count < 50; count++)
      host.machine.fakeScreen.draw(
        { x: 0, y: 0, width: 64, height: 48 },
        (x, y) => (x * y * count) & 0xffffff,
      )
    await ada.until(() => host.rooms.viewers === 1)
    assert.ok(!ada.isClosed)
  })
})
