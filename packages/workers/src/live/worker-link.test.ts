import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { FakeMachine, FakeRoomHost, FakeViewer, showsExactly } from '@sandglass/gateway/testing'
import { waitFor } from '@sandglass/machines/testing'
import type { Channel } from '@sandglass/rpc'
import {
  channel as channels,
  encodeCursor,
  encodeFrame,
  encodePicture,
  FrameError,
  type InputFrame,
} from '@sandglass/wire/frames'
import { encodeFromSession, type FromSession, parseFromSession } from './from-session.ts'
import { RecordedSession } from './testing/recorded-session.ts'
import { WorkerLink } from './testing/worker-link.ts'
import { encodeToSession, type ToSession } from './to-session.ts'

const pressA: InputFrame = { type: 'key', lease: 1, keysym: 97, isDown: true }

/** The worker's side of a session, spoken to with messages. */
class Messages {
  readonly received: FromSession[] = []
  readonly channel: Channel
  readonly answer: Promise<unknown>

  constructor(link: WorkerLink) {
    const { channels, answer } = link.caller.start('live.session', { machine: 'a machine' })
    const [channel = assert.fail()] = channels
    this.channel = channel
    this.answer = answer
    channel.on('data', (bytes: Buffer) => this.received.push(parseFromSession(bytes)))
  }

  send(message: ToSession): void {
    this.channel.write(encodeToSession(message))
  }

  get frames() {
    return this.received.filter(message => message.kind === 'frame')
  }
}

describe('the connection to a session in a worker', () => {
  it('carries a frame for several viewers once', async () => {
    const machine = new FakeMachine()
    const messages = new Messages(WorkerLink.to(machine))
    messages.send({ kind: 'attach', viewer: 1, takesVideo: false })
    await waitFor(() => messages.frames.length > 0)
    // The second one comes later, so that the numbers of its pictures are others.
    messages.send({ kind: 'attach', viewer: 2, takesVideo: false })
    await waitFor(() => messages.frames.some(({ to }) => to.some(({ viewer }) => viewer === 2)))
    for (const { to } of messages.frames)
      for (const { viewer, sequence } of to)
        if (sequence > 0) messages.send({ kind: 'acknowledge', viewer, sequence })
    machine.fakeScreen.fill({ x: 0, y: 0, width: 64, height: 48 }, 0xc35a21)
    machine.fakeScreen.point(5, 5)
    const position = encodeCursor({ type: 'position', x: 5, y: 5 }, bytes => bytes)
    for (const part of [Buffer.of(0x21, 0x5a, 0xc3), Buffer.from(position)]) {
      const sent = () => messages.frames.filter(({ frame }) => Buffer.from(frame).includes(part))
      await waitFor(() => sent().length > 0)
      assert.deepEqual(
        sent().map(({ to }) => to.map(({ viewer }) => viewer)),
        [[1, 2]],
      )
    }
  })

  it('carries a bounded number of frames for a viewer that acknowledges nothing', async () => {
    const machine = new FakeMachine()
    const messages = new Messages(WorkerLink.to(machine))
    messages.send({ kind: 'attach', viewer: 1, takesVideo: false })
    await waitFor(() => messages.frames.length > 0)
    for (let count = 1; count <= 2000; count++) {
      machine.fakeScreen.fill({ x: 0, y: 0, width: 8, height: 8 }, count)
      machine.fakeScreen.point(count % 64, count % 48)
    }
    messages.send({ kind: 'release' })
    await waitFor(() => messages.received.some(({ kind }) => kind === 'released'))
    assert.ok(messages.frames.length < 200, `${messages.frames.length} frames`)
  })

  it('ends when the front is gone, and the machine is left alone with everything released', async () => {
    const machine = new FakeMachine()
    const link = WorkerLink.to(machine)
    const { session } = new RecordedSession(link)
    new FakeViewer(session.picture)
    session.do(pressA)
    await waitFor(() => machine.fakeScreen.watcherCount === 1 && machine.actions.includes('down 97'))
    link.caller.close()
    await waitFor(() => machine.fakeScreen.watcherCount === 0 && machine.actions.at(-1) === 'release all')
  })

  it('fails the session once when the worker is gone, and nobody waits for it any more', async () => {
    const machine = new FakeMachine()
    machine.hold = new Promise(() => {})
    const link = WorkerLink.to(machine)
    const { session, failures } = new RecordedSession(link)
    const viewer = new FakeViewer(session.picture)
    await waitFor(() => showsExactly(viewer, machine.fakeScreen))
    session.do({ type: 'pointer', lease: 1, x: 1, y: 1, buttons: 1 })
    const released = session.release()
    link.cut()
    await released
    await waitFor(() => failures.length === 1)
    assert.ok(session.isHolding)
    session.do(pressA)
    session.paste('lost')
    await session.release()
    viewer.feed.refresh()
    viewer.feed.close()
    session.close()
    assert.equal(failures.length, 1)
    const later = new RecordedSession(link)
    await waitFor(() => later.failures.length === 1)
  })

  it('fails the session with the reason if the worker does not have the machine', async () => {
    const link = new WorkerLink({
      'live.session': async () => {
        throw new Error('no such machine')
      },
    })
    const { failures } = new RecordedSession(link)
    await waitFor(() => failures.length === 1)
    assert.match(String(failures[0]), /no such machine/)
  })

  const picture = encodePicture({ type: 'tiles', sequence: 1, width: 1, height: 1, ops: new Uint8Array() })
  const cursor = encodeCursor({ type: 'hidden' }, bytes => bytes)
  const frame = (viewer: number, bytes: Uint8Array): Buffer =>
    encodeFromSession({ kind: 'frame', to: [{ viewer, sequence: 1 }], frame: bytes })
  for (const [what, message] of Object.entries({
    'a frame for a viewer that never was': frame(2, picture),
    'a frame twice to one viewer': encodeFromSession({
      kind: 'frame',
      to: [1, 2].map(sequence => ({ viewer: 1, sequence })),
      frame: picture,
    }),
    'a frame for viewer zero': frame(0, cursor),
    'a message of the room': frame(1, encodeFrame(channels.control, 1, Buffer.from('{}'))),
    'two frames in one': frame(1, Buffer.concat([cursor, picture])),
    'half a frame': frame(1, picture.subarray(0, -1)),
    'a picture without a number': frame(1, encodeFrame(channels.picture, 1)),
    'fewer viewers than it says': Buffer.from([0, 255, 255, 0]),
    'a text that is too long': Buffer.concat([Buffer.of(1), Buffer.alloc(1024 * 1024 + 1, 'x')]),
    'a text that is none': Buffer.from([1, 0xff, 0xfe]),
    'an error that is too long': Buffer.concat([Buffer.of(2), Buffer.alloc(64 * 1024, 'x')]),
    'a message of an unknown kind': Buffer.of(99),
    'a message that is too short': encodeFromSession({ kind: 'idle', inputs: 0, isHolding: false }).subarray(
      0,
      1,
    ),
  }))
    it(`fails a session, and no other, whose worker sends ${what}`, async () => {
      const link = new WorkerLink({
        'live.session': async (_, { channels: [channel] }) => {
          channel?.once('data', () => channel.write(message))
          await new Promise(resolve => channel?.once('close', resolve))
        },
      })
      const sent: Uint8Array[] = []
      const { session, failures } = new RecordedSession(link)
      session.picture.attach({ send: bytes => void sent.push(bytes), takesVideo: false })
      await waitFor(() => failures.length === 1)
      assert.ok(failures[0] instanceof FrameError)
      assert.deepEqual(sent, [])
      assert.ok(!link.caller.isClosed)
    })

  it('reports only the first faults of a worker that has very many', async () => {
    const link = new WorkerLink({
      'live.session': async (_, { channels: [channel] }) => {
        for (let count = 0; count < 1000; count++)
          channel?.write(encodeFromSession({ kind: count % 2 ? 'fault' : 'pictureFault', text: 'again' }))
        channel?.write(encodeFromSession({ kind: 'failure', text: 'at last' }))
        await new Promise(resolve => channel?.once('close', resolve))
      },
    })
    const { faults, failures } = new RecordedSession(link)
    await waitFor(() => failures.length === 1)
    assert.equal(faults.length, 100)
  })

  for (const [what, message] of Object.entries({
    'of a viewer that is not there': encodeToSession({ kind: 'refresh', viewer: 1 }),
    'that is too long': Buffer.concat([encodeToSession({ kind: 'release' }), Buffer.of(1)]),
    'that is too short': encodeToSession({ kind: 'acknowledge', viewer: 1, sequence: 1 }).subarray(0, -1),
    'with input that is none': Buffer.concat([
      Buffer.of(5),
      encodeFrame(channels.input, 99, Buffer.alloc(4)),
    ]),
    'of an unknown kind': Buffer.of(99),
  }))
    it(`ends a session, and no other, in which the front sends a message ${what}`, async () => {
      const link = WorkerLink.to(new FakeMachine())
      const messages = new Messages(link)
      messages.channel.write(message)
      await assert.rejects(messages.answer)
      assert.ok(!link.caller.isClosed)
    })
})

it('a room shows its machine again and takes input after its worker was replaced', async t => {
  const host = new FakeRoomHost({ reopenMs: 5 })
  t.after(() => host.close())
  let link = WorkerLink.to(host.machine)
  host.roomMachine = { openSession: listener => link.openSession(listener) }
  const ada = await host.viewer('Ada')
  await ada.until(() => ada.canvas)
  const { pictures } = ada
  const lost = link
  link = WorkerLink.to(host.machine)
  lost.cut()
  await ada.until(() => ada.pictures > pictures)
  await ada.takeControl()
  ada.do({ type: 'key', keysym: 97, isDown: true })
  await ada.until(() => host.machine.actions.includes('down 97'))
  for (const tell of host.machine.copyWatchers) tell('a text')
  await ada.until(() => ada.clipboards.includes('a text'))
  assert.deepEqual([host.screenFailures, host.faults], [1, []])
})
