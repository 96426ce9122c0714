import assert from 'node:assert/strict'
import { PassThrough, Readable, type Writable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { type Files, MachineError, type OpenFile } from '@sandglass/machines/contract'
import { Responder } from '@sandglass/rpc'
import { machineErrors } from '../errors.ts'
import { fakeFile, fakeInfo, fakeMachine } from '../testing/fake-machine.ts'
import { readablePair } from '../testing/readable-pair.ts'
import { frontOn, throughRpc } from '../testing/through-rpc.ts'
import { fileMethods } from './methods.ts'
import { serveFiles } from './serve-files.ts'

const fails = (code: string) => (error: unknown) => error instanceof MachineError && error.code === code
const piece = Buffer.alloc(512 * 1024)
const enough = 64 * 1024 * 1024
const whileMuchHappens = async () => {
  for (let turn = 0; turn < 1000; turn++) await setImmediate()
}
const written = (sink: Writable, chunk: Buffer) =>
  new Promise<void>((resolve, reject) => sink.write(chunk, error => (error ? reject(error) : resolve())))

/** A file that is sent until the sink takes no more. */
function longFile() {
  const ended = Promise.withResolvers<unknown>()
  const state = { sent: 0, ended: ended.promise }
  const file = fakeFile(enough, {
    close: () => ended.resolve('closed'),
    sendTo: async sink => {
      try {
        for (; state.sent < enough; state.sent += piece.length) await written(sink, piece)
      } catch (error) {
        ended.resolve(error)
        throw error
      }
    },
  })
  return { state, file }
}

test('a file is not sent faster than it is read, and not at all any more when the reader is gone', async () => {
  const { state, file } = longFile()
  const { files, caller } = await throughRpc(fakeMachine({ open: async () => file }))
  const content = await files.read('a')
  await whileMuchHappens()
  assert.ok(state.sent > 0 && state.sent < enough / 4, `${state.sent} bytes were sent to nobody`)
  content.destroy()
  assert.ok(await state.ended)
  caller.close()
})

test('a file is not sent any more when its reading is aborted', async () => {
  const { state, file } = longFile()
  const { files, caller } = await throughRpc(fakeMachine({ open: async () => file }))
  const abort = new AbortController()
  const content = await files.read('a', { signal: abort.signal })
  abort.abort()
  await assert.rejects(buffer(content), { name: 'AbortError' })
  assert.ok(await state.ended)
  caller.close()
})

test('a file that is not read is closed in the worker, by its user or with the front', async () => {
  for (const how of ['user', 'front']) {
    const closed = Promise.withResolvers<void>()
    const file = fakeFile(1, { close: () => closed.resolve() })
    const { files, caller } = await throughRpc(fakeMachine({ open: async () => file }))
    const opened = await files.open('a')
    if (how === 'user') opened.close()
    else caller.close()
    await closed.promise
    caller.close()
  }
})

test('a file is not sent to a sink that is closed already', async () => {
  const { state, file } = longFile()
  const { files, caller } = await throughRpc(fakeMachine({ open: async () => file }))
  const sink = new PassThrough().destroy()
  await assert.rejects((await files.open('a')).sendTo(sink))
  assert.ok(await state.ended)
  caller.close()
})

test('a file that is opened when the front is gone already is closed', async () => {
  const closed = Promise.withResolvers<void>()
  const opened = Promise.withResolvers<OpenFile>()
  const asked = Promise.withResolvers<void>()
  const open = () => {
    asked.resolve()
    return opened.promise
  }
  const { files, caller, responder } = await throughRpc(fakeMachine({ open }))
  const reading = assert.rejects(files.read('a'), fails('UNREACHABLE'))
  await asked.promise
  caller.close()
  await responder.ended
  opened.resolve(fakeFile(1, { close: () => closed.resolve() }))
  await Promise.all([closed.promise, reading])
})

test('content is not taken faster than the machine stores it', async () => {
  const write = () => new Promise<never>(() => {})
  const { files, caller } = await throughRpc(fakeMachine({ write }))
  let taken = 0
  const content = Readable.from(
    (async function* () {
      for (; taken < enough; taken += piece.length) yield piece
    })(),
    { objectMode: false },
  )
  const writing = files.write('a', content)
  await whileMuchHappens()
  assert.ok(taken > 0 && taken < enough / 4, `${taken} bytes were taken and not stored`)
  caller.close()
  await assert.rejects(writing, fails('UNREACHABLE'))
})

test('buffers that may be consumed are freed in the front when they are sent', async () => {
  const stored = Promise.withResolvers<Buffer>()
  const write: Files['write'] = async (_, content) => {
    assert.ok(content instanceof Readable)
    stored.resolve(await buffer(content))
    return fakeInfo()
  }
  const { files, caller } = await throughRpc(fakeMachine({ write }))
  const pieces = Array.from({ length: 40 }, () => Buffer.from(new ArrayBuffer(100_000)).fill('x'))
  await files.write('a', Readable.from(pieces), { consume: true })
  assert.ok((await stored.promise).equals(Buffer.alloc(4_000_000, 'x')))
  assert.ok(pieces.every(({ length }) => length === 0))
  caller.close()
})

for (const [what, breakOff, consume] of [
  ['the front is gone', ({ close }: Broken) => close(), false],
  ['the source breaks', ({ source }: Broken) => source.destroy(new Error('the source broke')), false],
  [
    'the source of consumed buffers breaks',
    ({ source }: Broken) => source.destroy(new Error('broken')),
    true,
  ],
  ['it is aborted', ({ abort }: Broken) => abort.abort(), true],
] as const)
  test(`a file is not completed if ${what} while it is written`, async () => {
    const began = Promise.withResolvers<void>()
    const stored = Promise.withResolvers<string>()
    const machine = fakeMachine({
      write: async (_, content) => {
        assert.ok(content instanceof Readable)
        content.once('data', () => began.resolve())
        content.once('end', () => stored.resolve('complete'))
        content.once('close', () => stored.resolve('incomplete'))
        await stored.promise
        throw new Error('the content broke')
      },
    })
    const { files, caller } = await throughRpc(machine)
    const abort = new AbortController()
    const source = new Readable({ read() {} })
    source.push('the first half')
    const writing = assert.rejects(files.write('a', source, { signal: abort.signal, consume }))
    await began.promise
    breakOff({ close: () => caller.close(), source, abort })
    assert.equal(await stored.promise, 'incomplete')
    await writing
    caller.close()
  })

interface Broken {
  close(): void
  readonly source: Readable
  readonly abort: AbortController
}

test('a worker that lists more entries than were requested is not listened to any more', async () => {
  const list = async () => ({ entries: Array.from({ length: 3 }, () => fakeInfo()) })
  const { files, caller } = await throughRpc(fakeMachine({ list }))
  assert.equal((await files.list('a', { limit: 3 })).entries.length, 3)
  await assert.rejects(files.list('a', { limit: 2 }), fails('UNREACHABLE'))
  assert.ok(caller.isClosed)
})

test('a worker that reports a malformed change is not listened to any more', async () => {
  const [front, back] = await readablePair()
  const { files, caller } = frontOn(front)
  const handlers = serveFiles(() => fakeMachine({}))
  new Responder(back, {
    methods: fileMethods,
    handlers: { ...handlers, 'files.watch': async (_, { channels: [channel] }) => void channel?.write('{}') },
    errors: machineErrors,
  })
  const changes = await files.watch('a')
  await assert.rejects(changes[Symbol.asyncIterator]().next(), fails('UNREACHABLE'))
  assert.ok(caller.isClosed)
})

test('a machine that lies fails the call, and its worker goes on', async () => {
  const long = 'x'.repeat(1_000_000)
  async function* changes() {
    yield { change: 'created', kind: 'file', path: long } as const
  }
  const { files, caller } = await throughRpc(
    fakeMachine({
      stat: async path => fakeInfo({ name: path === 'long' ? long : 'file' }),
      list: async () => ({
        entries: Array.from({ length: 1000 }, () => fakeInfo({ target: long.slice(0, 20_000) })),
      }),
      watch: async () => changes(),
    }),
  )
  await assert.rejects(files.stat('long'), fails('STATE'))
  await assert.rejects(files.list('a'), fails('STATE'))
  const watched = await files.watch('a')
  await assert.rejects(async () => {
    for await (const _ of watched);
  }, Error)
  assert.equal((await files.stat('short')).name, 'file')
  caller.close()
})

test('content of another length than was announced fails', async () => {
  for (const length of [9, 11]) {
    const file = fakeFile(10, { sendTo: sink => written(sink, Buffer.alloc(length)) })
    const { files, caller } = await throughRpc(fakeMachine({ open: async () => file }))
    await assert.rejects(async () => buffer(await files.read('a')), fails('STATE'))
    caller.close()
  }
})

test('everything that is under way fails as unreachable when the worker ends', async () => {
  const never = () => new Promise<never>(() => {})
  const file = fakeFile(10, { sendTo: never })
  const noChanges = { [Symbol.asyncIterator]: () => ({ next: never }) }
  const { files, responder } = await throughRpc(
    fakeMachine({ stat: never, open: async () => file, watch: async () => noChanges }),
  )
  const content = buffer(await files.read('a'))
  const change = (await files.watch('a'))[Symbol.asyncIterator]().next()
  const all = [files.stat('a'), content, change].map(one => assert.rejects(one, fails('UNREACHABLE')))
  responder.close()
  await Promise.all(all)
  await assert.rejects(files.stat('a'), fails('UNREACHABLE'))
})
