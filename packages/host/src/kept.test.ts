import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import { duplexPair } from 'node:stream'
import { test } from 'node:test'
import { type KeptReader, MachineError } from '@sandglass/machines/contract'
import { Caller, Responder } from '@sandglass/rpc'
import { HostKept } from './host-kept.ts'
import { machineErrors } from './machine-errors.ts'
import { hostMethods } from './methods.ts'
import { PassedSockets, SocketPasser } from './passed-sockets.ts'
import { keptHandlers } from './serve-kept.ts'
import { engineWith, failing } from './test-host.ts'

/** What a front reads through a host whose engine has this. Connections are passed within this process. */
function readThroughHost(read: KeptReader['read'], describe: KeptReader['describe'] = async () => undefined) {
  const front = new EventEmitter()
  const child = Object.assign(new EventEmitter(), {
    send: (message: object, socket: Socket, _: object, done: (error: null) => void) => {
      front.emit('message', message, socket)
      done(null)
    },
  })
  const passer = new SocketPasser(child as EventEmitter as ChildProcess)
  const [ours, theirs] = duplexPair()
  const engine = engineWith({ kept: { read, describe } })
  const handlers = keptHandlers((_, work) => work(engine), passer)
  const others = Object.keys(hostMethods).filter(name => !(name in handlers))
  new Responder(theirs, {
    methods: hostMethods,
    errors: machineErrors,
    handlers: { ...Object.fromEntries(others.map(name => [name, failing])), ...handlers } as never,
  })
  const caller = new Caller(ours, { methods: hostMethods, errors: machineErrors })
  return new HostKept(caller, new PassedSockets(front as NodeJS.Process), 'local')
}

async function* pieces(count: number, end?: Error): AsyncGenerator<Buffer> {
  for (let piece = 0; piece < count; piece++) yield Buffer.alloc(1 << 20, piece)
  if (end) throw end
}

async function bytesOf(content: AsyncIterable<Uint8Array>): Promise<number> {
  let bytes = 0
  for await (const piece of content) bytes += piece.length
  return bytes
}

test('the front reads what an engine of the host keeps, to the last byte', async () => {
  const about = { sizeMiB: 64 }
  const kept = readThroughHost(
    async (_kind, _id, use) => await use(pieces(9)),
    async (kind, id) =>
      id === 'one' ? { about: [kind, about], base: 'minimal', occupiedMiB: 9 } : undefined,
  )
  assert.deepEqual(await kept.describe('disk', 'one'), {
    about: ['disk', about],
    base: 'minimal',
    occupiedMiB: 9,
  })
  assert.equal(await kept.describe('disk', 'two'), undefined)
  for (const kind of ['disk', 'volume', 'base'] as const)
    assert.equal(await kept.read(kind, 'one', bytesOf), 9 << 20)
})

test('content that breaks off is not taken for all of it, and the reason arrives', async () => {
  const lost = new MachineError('MACHINE_FAILED', 'the disk has failed')
  const kept = readThroughHost(async (_kind, _id, use) => await use(pieces(3, lost)))
  await assert.rejects(kept.read('volume', 'one', bytesOf), /the disk has failed/)
})

test('what a front stops reading is given up, and the next can be read; two at a time cannot', async () => {
  let ended = 0
  const kept = readThroughHost(async (_kind, _id, use) => {
    try {
      return await use(pieces(100))
    } finally {
      ended++
    }
  })
  const stopped = new Error('the storage is full')
  const refuse = async (content: AsyncIterable<Uint8Array>) => {
    for await (const _ of content) {
      await assert.rejects(kept.read('volume', 'two', bytesOf), /something else is being read/)
      throw stopped
    }
  }
  await assert.rejects(kept.read('volume', 'one', refuse), stopped)
  const next = async (): Promise<number> =>
    await kept.read('volume', 'one', bytesOf).catch(error => {
      assert.match(String(error), /something else is being read/)
      return next()
    })
  assert.equal(await next(), 100 << 20)
  assert.equal(ended, 2)
})
