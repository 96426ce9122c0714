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

/** Nobody is disconnected for being slow, unless the test is about that. */
const patient = { helloMs: patienceMs, absenceMs: patienceMs }

function open(timeouts: Partial<RoomTimeouts> = {}, limits?: Partial<RoomLimits>): FakeRoomHost {
  const host = new FakeRoomHost({ ...patient, ...timeouts }, limits)
  hosts.push(host)
  return host
}

const at = (x: number, y: number, buttons = 0) => ({ type: 'pointer', x, y, buttons }) as const

describe('a room', () => {
  it('exists while somebody is in it, and the screen is watched no longer', async () => {
    const host = open()
    const [ada, bob] = [await host.viewer('Ada'), await host.viewer('Bob')]
    await ada.until(() => ada.canvas)
    assert.deepEqual([ada.viewer, bob.viewer, host.rooms.viewers], ['v1', 'v2', 2])
    ada.close()
    bob.close()
    await bob.until(() => host.rooms.find('room') === undefined && host.machine.fakeScreen.watcherCount === 0)
    assert.equal(host.machine.copyWatchers.size, 0)
  })

  it('stays open without its machine, and shows the whole screen when it is back', async () => {
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

  it('retries when the screen cannot be watched', async () => {
    const host = open({ reopenMs: 5 })
    host.machine.watchFailures = 2
    const ada = await host.viewer('Ada')
    await ada.until(() => ada.canvas)
    assert.equal(host.machine.watchFailures, 0)
    assert.equal(host.screenFailures, 2)
  })

  it('retries when the machine cannot be reached at the moment', async () => {
    const host = open({ reopenMs: 5 })
    host.machine.openFailures = 2
    const ada = await host.viewer('Ada')
    await ada.until(() => ada.canvas)
    assert.equal(host.machine.openFailures, 0)
    assert.equal(host.screenFailures, 2)
    assert.equal(ada.last('machine'), undefined)
  })

  it('limits viewers and unauthenticated peers', async () => {
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

  it('limits unauthenticated peers per address', async () => {
    const host = open({}, { unauthenticated: 2 })
    const [first] = [await host.connect(), await host.connect()]
    assert.equal((await (await host.connect()).goodbye()).code, 'live.FULL')
    first?.hello({ room: 'room', token: 'Ada view' })
    await first?.message('welcome')
    await host.viewer('Bob')
  })

  it('sends everybody a goodbye when the service stops', async () => {
    const host = open()
    const ada = await host.viewer('Ada')
    const [closed, words] = await Promise.all([host.rooms.close(), ada.goodbye()])
    assert.deepEqual([closed, words.code, words.isFinal], [undefined, 'live.CLOSING', false])
    assert.equal((await (await host.connect()).goodbye()).code, 'live.CLOSING')
  })
})

describe('input', () => {
  it('is applied in order, and only from the viewer in control', async () => {
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
      'release all',
      'move 3 4',
      'press left',
      'move 63 47',
      'press right',
      'down 97',
      'up 97',
      'type é',
      'move 5 5',
      'release left',
      'release right',
      'release all',
    ])
    assert.ok(host.uses > 0)
  })

  it('turns the wheel by whole notches, and adds up fractions', async () => {
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
      'press wheelDown',
      'press wheelUp',
      'press wheelLeft',
      'press wheelLeft',
      ...Array<string>(20).fill('press wheelDown'),
    ])
  })

  it('skips outdated pointer positions, and is dropped if a machine does not keep up', async () => {
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

  it('is released when its holder can no longer be heard', async () => {
    const host = open({ unheardMs: 40 })
    const ada = await host.viewer('Ada')
    await ada.takeControl()
    ada.do({ type: 'key', keysym: 97, isDown: true })
    const { actions } = host.machine
    await ada.until(() => actions.includes('down 97'))
    ada.isResponsive = false
    await ada.until(() => actions.at(-1) === 'release all')
    assert.ok(ada.holds && !ada.isClosed)
  })
})

describe('control', () => {
  it('returns to the agent when a person is gone for too long, after their input was released', async () => {
    const host = open({ absenceMs: 20 })
    const ada = await host.viewer('Ada')
    const bob = await host.viewer('Bob')
    await ada.takeControl()
    ada.close()
    await bob.until(() => bob.lease?.holder.kind === 'agent')
    await bob.until(() => host.controls.length === 2)
    assert.deepEqual(host.controls, ['user', 'agent'])
  })

  it('is kept for a while in a room that everybody has left', async () => {
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

describe('the clipboard', () => {
  it('is read and written only with the right to it, and announced at a limited rate', async () => {
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
  it('that sends no hello in time gets a goodbye', async () => {
    const host = open({ helloMs: 10 })
    assert.equal((await (await host.connect()).goodbye()).code, 'live.NO_HELLO')
  })

  it('that sends garbage gets a goodbye and is dropped, before and after admission', async () => {
    const host = open({}, { perRoom: 1000, total: 1000 })
    await fc.assert(
      fc.asyncProperty(fc.boolean(), fc.uint8Array({ minLength: 6, maxLength: 300 }), async (isIn, bytes) => {
        const peer = isIn ? await host.viewer('Ada') : await host.connect()
        // Not a valid frame: a length beyond all limits, then arbitrary bytes.
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

  it('that floods any channel gets a goodbye and is dropped', async () => {
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
      // The rate limit refills while this process is slow, so flood until the limit is reached.
      await ada.until(() => {
        if (!ada.isClosed) ada.stream.write(flood)
        return ada.isClosed
      })
      assert.equal((await ada.goodbye()).code, 'live.TOO_FAST')
    }
  })

  it('that reads or sends nothing is dropped, and little is queued for it', async () => {
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
