import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Duplex, duplexPair } from 'node:stream'
import { afterEach, beforeEach, describe, it, test } from 'node:test'
import { encodeFrame, frameType } from '@sandglass/wire/mux'
import { patienceMs, waitFor } from '../testing/wait-for.ts'
import { MuxSession } from './mux-session.ts'
import { TestMachine } from './testing/line.ts'

describe('a session with a machine', { timeout: 600_000 }, () => {
  let machine: TestMachine

  beforeEach(async () => {
    machine = await TestMachine.start()
    await machine.serve('agent', connection => connection.pipe(connection))
  })
  afterEach(() => machine?.dispose())

  const start = () => MuxSession.connect(machine.line(), { timeoutMs: patienceMs })

  async function works(session: MuxSession): Promise<Duplex> {
    const stream = await session.open('agent', { timeoutMs: patienceMs })
    stream.write('ping')
    assert.equal(String((await once(stream, 'data'))[0]), 'ping')
    return stream
  }

  it('says why a target is refused', async () => {
    const session = await start()
    await assert.rejects(session.open('other'), {
      code: 'REFUSED',
      message: '"other" was refused: there is no target "other"; there are agent, nobody, rfb, x11',
    })
    await assert.rejects(session.open('nobody'), { code: 'REFUSED', message: /No such file or directory/ })
    await works(session)
  })

  it('answers pings', async () => {
    const session = await start()
    for (let i = 0; i < 3; i++) await session.ping({ timeoutMs: patienceMs })
  })

  it('begins after whatever is in the byte stream', async () => {
    const frame = encodeFrame(frameType.data, 3, randomBytes(30_000))
    const before = [
      randomBytes(100_000),
      Buffer.alloc(40_000),
      frame,
      ...[1, 4, 6, 7, 8, 20_000, frame.length - 1].map(cut => frame.subarray(0, cut)),
      encodeFrame(frameType.hello, 0, randomBytes(17)).subarray(0, 20),
      encodeFrame(frameType.open, 1, Buffer.from('agent')),
    ]
    for (const bytes of before) {
      machine.inject(bytes)
      await works(await start())
    }
  })

  it('does not deliver the rest of a frame that was cut off', async () => {
    const received: Buffer[] = []
    const ended = Promise.withResolvers<void>()
    await machine.serve('rfb', connection => {
      connection.on('data', chunk => received.push(chunk)).on('end', ended.resolve)
    })
    const session = await start()
    const stream = await session.open('rfb')
    stream.write('whole')
    await waitFor(() => received.length > 0)
    machine.inject(encodeFrame(frameType.data, 1, Buffer.alloc(500, 'x')).subarray(0, 400))
    await works(await start())
    await ended.promise
    assert.equal(String(Buffer.concat(received)), 'whole')
  })

  it('ends when the program in the machine has started over', async () => {
    const session = await start()
    const stream = await works(session)
    const failed = once(stream, 'error')
    machine.restart()
    assert.match(String((await failed)[0]), /started over/)
    assert.match((await session.closed).message, /started over/)
    await assert.rejects(session.open('agent'), /started over/)
    await works(await start())
  })

  it('ends when it violates the protocol itself', async () => {
    const session = await start()
    await works(session)
    machine.inject(encodeFrame(frameType.data, 99, Buffer.of(1)))
    assert.match((await session.closed).message, /started over/)
    await works(await start())
  })

  it('in Python reports refusals and its end', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'mux-relay-'))
    try {
      const relay = machine.relay(['agent', 'other'], folder)
      assert.deepEqual(await relay.report(), { ready: true })
      connect(join(folder, 'other')).resume()
      const refusal = 'there is no target "other"; there are agent, nobody, rfb, x11'
      assert.deepEqual(await relay.report(), { refused: refusal })
      machine.restart()
      assert.match(JSON.stringify(await relay.report()), /^\{"end":".*started over"\}$/)
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})

/** Something that answers the greeting, and after that only what the test sends. */
async function silentMachine(): Promise<{ session: MuxSession; far: Duplex }> {
  const [near, far] = duplexPair()
  const greeting = Promise.withResolvers<Buffer>()
  let received = Buffer.alloc(0)
  far.on('data', chunk => {
    received = Buffer.concat([received, chunk])
    if (received.length === 65_536 + 25) greeting.resolve(received.subarray(65_536))
  })
  const connected = MuxSession.connect(near)
  far.write(await greeting.promise)
  return { session: await connected, far }
}

test('a machine that does not answer is reported as unreachable', async () => {
  const [near] = duplexPair()
  await assert.rejects(MuxSession.connect(near, { timeoutMs: 50 }), {
    code: 'UNREACHABLE',
    message: 'The machine did not answer the greeting within 50 ms.',
  })
  assert.ok(near.destroyed)
  const { session } = await silentMachine()
  await assert.rejects(session.open('agent', { timeoutMs: 50 }), { code: 'UNREACHABLE' })
  await assert.rejects(session.ping({ timeoutMs: 50 }), { code: 'UNREACHABLE' })
  const signal = AbortSignal.abort(new Error('enough'))
  await assert.rejects(session.open('agent', { signal }), /enough/)
  session.close()
  assert.match((await session.closed).message, /the session was closed/)
})

test('a machine that accepts a stream and resets it at once does not end this process', async () => {
  const { session, far } = await silentMachine()
  const opened = session.open('agent')
  const accept = encodeFrame(frameType.accept, 1)
  setImmediate(() => far.write(Buffer.concat([accept, encodeFrame(frameType.reset, 1)])))
  await assert.rejects(opened, { code: 'ECONNRESET' })
  session.close()
})

test('a machine that sends nonsense ends the session with a reason', async () => {
  const { session, far } = await silentMachine()
  const opened = session.open('agent')
  far.write(Buffer.of(77, 77, 77, 77, 77, 77, 77))
  await assert.rejects(opened, { code: 'UNREACHABLE', message: /unknown type 77/ })
  assert.match((await session.closed).message, /unknown type 77/)
})
