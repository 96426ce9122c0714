import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type RoomMachine, ScreenSession } from '@sandglass/gateway/session'
import { FakeMachine, FakeViewer, showsExactly } from '@sandglass/gateway/testing'
import type { Machine } from '@sandglass/machines/contract'
import { waitFor } from '@sandglass/machines/testing'
import type { InputFrame } from '@sandglass/wire/frames'
import { RecordedSession } from './testing/recorded-session.ts'
import { WorkerLink } from './testing/worker-link.ts'

/** A machine whose actions include what is written to its clipboard. */
function pastingMachine(): FakeMachine {
  const machine = new FakeMachine()
  const { clipboard } = machine.screen
  assert.ok(clipboard)
  clipboard.write = async text => void machine.actions.push(`paste ${text}`)
  return machine
}

/** Lets the machine move its pointer only when told to. `isReached` settles when it is about to. */
function holdPointer(machine: FakeMachine) {
  const reached = Promise.withResolvers<void>()
  const going = Promise.withResolvers<void>()
  Object.defineProperty(machine, 'hold', {
    get: () => {
      reached.resolve()
      return going.promise
    },
  })
  return { isReached: reached.promise, goOn: going.resolve }
}

const key = (keysym: number, isDown: boolean): InputFrame => ({ type: 'key', lease: 1, keysym, isDown })
const at = (x: number, y: number): InputFrame => ({ type: 'pointer', lease: 1, x, y, buttons: 0 })
const touch = (finger: number): InputFrame => ({
  type: 'touch',
  lease: 1,
  finger,
  phase: 'start',
  x: 1,
  y: 1,
})

const ways: Record<string, (machine: Machine) => RoomMachine> = {
  'in this process': ({ screen }) => ({ openSession: listener => new ScreenSession(screen, listener) }),
  'in a worker': machine => WorkerLink.to(machine),
}

for (const [where, reach] of Object.entries(ways))
  describe(`a session with a screen ${where}`, () => {
    function open(machine = pastingMachine()) {
      const room = reach(machine)
      return { machine, room, recorded: new RecordedSession(room) }
    }

    it('shows every viewer exactly what is on the screen, and every change', async () => {
      const { machine, recorded } = open()
      const { fakeScreen } = machine
      const first = new FakeViewer(recorded.session.picture)
      await waitFor(() => showsExactly(first, fakeScreen))
      fakeScreen.draw({ x: 3, y: 5, width: 40, height: 30 }, (x, y) => (x * 7 + y * 1000) & 0xffffff)
      const second = new FakeViewer(recorded.session.picture)
      await waitFor(() => showsExactly(first, fakeScreen) && showsExactly(second, fakeScreen))
      fakeScreen.fill({ x: 0, y: 0, width: 64, height: 20 }, 0x123456)
      fakeScreen.point(7, 9)
      await waitFor(() => showsExactly(first, fakeScreen) && showsExactly(second, fakeScreen))
      for (const viewer of [first, second]) {
        await waitFor(() => viewer.cursors.some(cursor => cursor.type === 'position' && cursor.x === 7))
        assert.deepEqual(
          viewer.frames.map(({ sequence }) => sequence),
          viewer.frames.map((_, index) => index + 1),
        )
      }
    })

    it('sends the whole screen again to a viewer that asks for it', async () => {
      const { machine, recorded } = open()
      const viewer = new FakeViewer(recorded.session.picture)
      await waitFor(() => showsExactly(viewer, machine.fakeScreen))
      viewer.canvas = undefined
      viewer.feed.refresh()
      await waitFor(() => showsExactly(viewer, machine.fakeScreen))
    })

    it('does not tell a viewer where it has moved the pointer itself', async () => {
      const { machine, recorded } = open()
      const viewer = new FakeViewer(recorded.session.picture)
      await waitFor(() => showsExactly(viewer, machine.fakeScreen))
      viewer.feed.pointed(20, 20)
      // Input goes the same way, so the position has arrived when this key has.
      recorded.session.do(key(97, true))
      await waitFor(() => machine.actions.includes('down 97'))
      machine.fakeScreen.point(20, 20)
      machine.fakeScreen.point(21, 21)
      await waitFor(() => viewer.cursors.some(cursor => cursor.type === 'position' && cursor.x === 21))
      assert.ok(!viewer.cursors.some(cursor => cursor.type === 'position' && cursor.x === 20))
    })

    it('watches the screen while there are viewers', async () => {
      const { machine, recorded } = open()
      const viewer = new FakeViewer(recorded.session.picture)
      await waitFor(() => machine.fakeScreen.watcherCount === 1)
      viewer.feed.close()
      await waitFor(() => machine.fakeScreen.watcherCount === 0)
    })

    it('applies input and pasted texts in their order', async () => {
      const { machine, recorded } = open()
      const { session } = recorded
      session.do(at(3, 4))
      session.do(key(97, true))
      session.do(key(97, false))
      session.paste('a text')
      session.do(key(98, true))
      session.do({ type: 'text', lease: 1, text: 'é' })
      await waitFor(() => machine.actions.includes('type é'))
      assert.deepEqual(machine.actions, ['move 3 4', 'down 97', 'up 97', 'paste a text', 'down 98', 'type é'])
    })

    it('drops input that waits when everything is released, and says when that is done', async () => {
      const { machine, recorded } = open()
      const { session } = recorded
      const { isReached, goOn } = holdPointer(machine)
      session.do(at(1, 1))
      session.do(key(97, true))
      await isReached
      let isReleased = false
      const released = session.release().then(() => {
        isReleased = true
      })
      // A viewer that comes later is noticed after the release.
      new FakeViewer(session.picture)
      await waitFor(() => machine.fakeScreen.watcherCount === 1)
      assert.ok(!isReleased)
      goOn()
      await released
      assert.deepEqual(machine.actions, ['move 1 1', 'release all'])
      session.do(key(98, true))
      await waitFor(() => machine.actions.includes('down 98'))
    })

    it('holds something from the input that presses it until the machine has released it', async () => {
      const { machine, recorded } = open()
      const { session } = recorded
      assert.ok(!session.isHolding)
      session.do(key(97, true))
      assert.ok(session.isHolding)
      await waitFor(() => machine.actions.includes('down 97'))
      assert.ok(session.isHolding)
      const { isReached, goOn } = holdPointer(machine)
      session.do(at(1, 1))
      session.do(key(97, false))
      await isReached
      assert.ok(session.isHolding)
      goOn()
      await waitFor(() => !session.isHolding)
      assert.equal(machine.actions.at(-1), 'up 97')
    })

    it('holds nothing after input that has no effect', async () => {
      const { machine, recorded } = open()
      const { session } = recorded
      session.do(touch(1))
      session.do({ type: 'releaseAll', lease: 1 })
      await waitFor(() => !session.isHolding)
      session.do(touch(2))
      await waitFor(() => !session.isHolding)
      assert.equal(machine.actions.at(-1), 'release all')
    })

    it('tells what the machine copied, but not what was pasted', async () => {
      const { machine, recorded } = open()
      const { session, copies } = recorded
      session.paste('ours')
      await waitFor(() => machine.actions.includes('paste ours') && machine.copyWatchers.size === 1)
      for (const text of ['ours', 'theirs 🐢']) for (const tell of machine.copyWatchers) tell(text)
      await waitFor(() => copies.length > 0)
      assert.deepEqual([copies, session.copied], [['theirs 🐢'], 'theirs 🐢'])
    })

    it('reports errors that are not those of a machine', async () => {
      const machine = pastingMachine()
      const input = await machine.screen.input()
      input.keyDown = () => {
        throw new Error('a bug')
      }
      const { recorded } = open(machine)
      recorded.session.do(key(97, true))
      await waitFor(() => recorded.faults.length > 0)
      assert.deepEqual(
        recorded.faults.map(error => error instanceof Error && error.message),
        ['a bug'],
      )
    })

    it('fails once if the screen cannot be watched, and another session can follow', async () => {
      const machine = new FakeMachine()
      machine.watchFailures = 1
      const room = reach(machine)
      const failed = new RecordedSession(room)
      new FakeViewer(failed.session.picture)
      await waitFor(() => failed.failures.length > 0)
      assert.match(String(failed.failures[0]), /the screen cannot be watched/)
      failed.session.close()
      const next = new RecordedSession(room)
      const viewer = new FakeViewer(next.session.picture)
      await waitFor(() => showsExactly(viewer, machine.fakeScreen))
      assert.deepEqual([failed.failures.length, next.failures.length], [1, 0])
    })

    it('leaves the machine alone when it is closed, with everything released', async () => {
      const { machine, recorded } = open()
      const { session, failures } = recorded
      new FakeViewer(session.picture)
      session.do(key(97, true))
      await waitFor(() => machine.fakeScreen.watcherCount === 1 && machine.actions.includes('down 97'))
      const { isReached, goOn } = holdPointer(machine)
      session.do(at(1, 1))
      await isReached
      let isReleased = false
      const released = session.release().then(() => {
        isReleased = true
      })
      session.close()
      await waitFor(() => machine.fakeScreen.watcherCount === 0 && machine.copyWatchers.size === 0)
      assert.ok(!isReleased)
      goOn()
      await released
      assert.equal(machine.actions.at(-1), 'release all')
      assert.deepEqual(failures, [])
    })
  })
