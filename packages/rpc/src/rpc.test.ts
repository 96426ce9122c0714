import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createConnection, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { duplexPair } from 'node:stream'
import { buffer, text } from 'node:stream/consumers'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { z } from 'zod'
import { maxMessageBytes, windowBytes } from './channel.ts'
import { frameHeader, joinPayload, kinds } from './frames.ts'
import { Caller, type Handlers, LinkClosed, method, plainErrors, Responder, WithBytes } from './index.ts'

const methods = {
  add: method({ args: z.object({ a: z.number(), b: z.number() }), result: z.number() }),
  fail: method({ args: z.object({}) }),
  wait: method({ args: z.object({}) }),
  upper: method({ args: z.object({}), channels: ['bytes'] }),
  echo: method({ args: z.object({}), channels: ['messages'] }),
  reverse: method({ args: z.object({}), result: z.number() }),
  ignore: method({ args: z.object({}), channels: ['bytes'] }),
  repeat: method({ args: z.object({ times: z.number() }), result: z.string().min(1), maxResultBytes: 1000 }),
}
const notices = { news: z.object({ what: z.string() }) }

const handlers: Handlers<typeof methods> = {
  add: async ({ a, b }) => a + b,
  fail: async () => {
    throw new Error('it cannot be done')
  },
  wait: (_, { signal }) =>
    new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('aborted')))),
  upper: async (_, { channels: [channel] }) => {
    channel?.end((await text(channel)).toUpperCase())
  },
  echo: async (_, { channels: [channel] }) => {
    channel?.pipe(channel)
  },
  reverse: async (_, { bytes }) => new WithBytes(bytes.length, bytes.toReversed()),
  ignore: async () => {},
  repeat: async ({ times }) => 'x'.repeat(times),
}

function connect(onNews: (what: string) => void = () => {}) {
  const [front, back] = duplexPair()
  const responder = new Responder<typeof methods, typeof notices>(back, { methods, handlers })
  const caller = new Caller(front, { methods, notices, onNotice: { news: ({ what }) => onNews(what) } })
  return { caller, responder, front, back }
}

async function connectBySocket() {
  const folder = await mkdtemp(join(tmpdir(), 'sandglass-rpc-'))
  const server = createServer().listen(join(folder, 'socket'))
  const accepted = once(server, 'connection')
  const front = createConnection(join(folder, 'socket'))
  const [back] = await accepted
  server.close()
  await rm(folder, { recursive: true })
  new Responder(back, { methods, handlers })
  return { caller: new Caller(front, { methods }), close: () => front.destroy() }
}

test('a call is answered with its result, and calls run at the same time', async () => {
  const { caller } = connect()
  assert.deepEqual(
    await Promise.all([caller.call('add', { a: 1, b: 2 }), caller.call('add', { a: 20, b: 22 })]),
    [3, 42],
  )
})

test('an error crosses with its message, and the next call works', async () => {
  const { caller } = connect()
  await assert.rejects(caller.call('fail', {}), { message: 'it cannot be done' })
  assert.equal(await caller.call('add', { a: 1, b: 1 }), 2)
})

test('arguments that do not fit the method are refused', async () => {
  const { caller } = connect()
  await assert.rejects(caller.call('add', { a: 1 } as never), /Invalid input/)
})

test('a cancelled call is aborted on the other side and fails with the reason of the signal', async () => {
  const { caller } = connect()
  const controller = new AbortController()
  const waiting = caller.call('wait', {}, { signal: controller.signal })
  const reason = new Error('enough')
  controller.abort(reason)
  await assert.rejects(waiting, error => error === reason)
})

test('bytes go with arguments and results', async () => {
  const { caller } = connect()
  const { value, bytes } = await caller.start('reverse', {}, { bytes: Buffer.from('abc') }).answer
  assert.equal(value, 3)
  assert.equal(bytes.toString(), 'cba')
})

test('a channel carries bytes in both directions and can be closed in one', async () => {
  const { caller } = connect()
  const { channels } = caller.start('upper', {})
  const [channel] = channels
  assert.ok(channel)
  channel.end('hello')
  assert.equal(await text(channel), 'HELLO')
})

test('a channel of messages keeps their boundaries, however long they are', async () => {
  const { caller } = connect()
  const [channel] = caller.start('echo', {}).channels
  assert.ok(channel)
  const messages = [Buffer.from('one'), Buffer.alloc(3 * windowBytes, 7), Buffer.from('three')]
  for (const message of messages) channel.write(message)
  channel.end()
  const received: Buffer[] = []
  for await (const message of channel) received.push(message)
  assert.deepEqual(
    received.map(({ length }) => length),
    messages.map(({ length }) => length),
  )
  assert.ok(received[1]?.equals(messages[1] ?? Buffer.of()))
})

test('a message that does not end is not kept, and its sender is not listened to any more', async () => {
  const { caller, responder } = connect()
  const [channel] = caller.start('echo', {}).channels
  assert.ok(channel)
  channel.write(Buffer.alloc(maxMessageBytes + 1))
  await Promise.all([caller.ended, responder.ended])
})

test('chunks that wait are sent together and arrive in order, also empty ones', async () => {
  const { caller } = connect()
  const [channel] = caller.start('upper', {}).channels
  assert.ok(channel)
  const chunks = ['', 'one ', '', 'x'.repeat(300_000), ' two ', 'y'.repeat(3 * windowBytes), '']
  for (const chunk of chunks) channel.write(Buffer.from(chunk))
  channel.end()
  assert.ok((await text(channel)) === chunks.join('').toUpperCase())
})

test('a reader that does not read stops the sender, and other calls go on', async () => {
  const { caller } = connect()
  const [channel] = caller.start('echo', {}).channels
  assert.ok(channel)
  let sent = 0
  const piece = Buffer.alloc(64 * 1024)
  const send = () => {
    sent += piece.length
    if (sent < 64 * windowBytes) channel.write(piece, error => error || send())
  }
  send()
  for (let turn = 0; turn < 2000; turn++) await setImmediate()
  assert.ok(sent < 32 * windowBytes, `${sent} bytes were taken from a sender that nobody reads from`)
  assert.equal(await caller.call('add', { a: 1, b: 1 }), 2)
  channel.destroy()
})

test('a long chunk is not sent to a reader that does not read, beyond the window', async () => {
  const { caller } = connect()
  const [channel] = caller.start('ignore', {}).channels
  assert.ok(channel)
  let isSent = false
  channel.write(Buffer.alloc(8 * windowBytes), error => {
    isSent = !error
  })
  for (let turn = 0; turn < 2000; turn++) await setImmediate()
  assert.ok(!isSent)
  channel.destroy()
})

test('a buffer can be used again when its write has called back', async () => {
  const { caller, close } = await connectBySocket()
  const [channel] = caller.start('upper', {}).channels
  assert.ok(channel)
  const buffer = Buffer.alloc(700_000)
  for (const letter of ['a', 'b', 'c']) {
    buffer.fill(letter)
    await new Promise(resolve => channel.write(buffer, resolve))
  }
  channel.end()
  assert.ok((await text(channel)) === ['A', 'B', 'C'].map(letter => letter.repeat(buffer.length)).join(''))
  close()
})

test('what was sent completely can be read after the other process ended', async () => {
  const { caller, responder } = connect()
  const [channel] = caller.start('upper', {}).channels
  assert.ok(channel)
  channel.end('hello')
  for (let turn = 0; turn < 200; turn++) await setImmediate()
  responder.close()
  await caller.ended
  assert.equal(await text(channel), 'HELLO')
})

test('a result that the caller would not accept fails its own call only', async () => {
  const { caller } = connect()
  await assert.rejects(caller.call('repeat', { times: 0 }), /does not fit/)
  await assert.rejects(caller.call('repeat', { times: 1000 }), /a result of 1\d\d\d bytes/)
  assert.equal(await caller.call('repeat', { times: 3 }), 'xxx')
})

test('notices arrive', async () => {
  const news = Promise.withResolvers<string>()
  const { responder } = connect(news.resolve)
  responder.tell('news', { what: 'rain' })
  assert.equal(await news.promise, 'rain')
})

test('when the other process is gone, calls and channels fail, also those that begin later', async () => {
  const { caller, responder } = connect()
  const waiting = caller.call('wait', {})
  const [channel] = caller.start('upper', {}).channels
  assert.ok(channel)
  const closed = new Promise(resolve => channel.once('close', resolve))
  responder.close()
  await assert.rejects(waiting, LinkClosed)
  await closed
  await assert.rejects(caller.call('add', { a: 1, b: 1 }), LinkClosed)
  await assert.rejects(buffer(caller.start('upper', {}).channels[0] ?? assert.fail()))
})

test('calls and channels fail with the error that stands for a lost process', async () => {
  const [front, back] = duplexPair()
  const lost = new Error('gone for lunch')
  const caller = new Caller(front, { methods, errors: { ...plainErrors, closed: () => lost } })
  const { channels, answer } = caller.start('echo', {})
  const [channel] = channels
  assert.ok(channel)
  const failed = new Promise(resolve => channel.once('close', resolve))
  back.destroy()
  await assert.rejects(answer, error => error === lost)
  await failed
  assert.equal(channel.errored, lost)
  await assert.rejects(caller.call('fail', {}), error => error === lost)
})

for (const [what, frame] of Object.entries({
  'a result of the wrong type': [frameHeader(kinds.answer, 1, 19), joinPayload('no number')],
  'a result that is too long': [frameHeader(kinds.answer, 1, 300_016), joinPayload('x'.repeat(300_000))],
  'a frame that is too long': [frameHeader(kinds.answer, 1, 2 ** 31)],
  'no JSON': [frameHeader(kinds.answer, 1, 4), Buffer.from([0, 0, 0, 9])],
  'a frame of an unknown kind': [frameHeader(99 as never, 1, 0)],
}))
  test(`a process that answers with ${what} is not listened to any more`, async () => {
    const [front, back] = duplexPair()
    const caller = new Caller(front, { methods })
    const call = caller.call('add', { a: 1, b: 2 })
    const [header = Buffer.of(), payload = Buffer.of()] = frame
    if (payload.length > 4) header.writeUInt32BE(payload.length)
    back.write(Buffer.concat([header, payload]))
    // An unknown frame is of a channel that does not exist.
    if (what.includes('unknown')) back.write(frameHeader(kinds.cancel, 1, 0))
    await assert.rejects(call, LinkClosed)
    assert.ok(caller.isClosed)
  })
