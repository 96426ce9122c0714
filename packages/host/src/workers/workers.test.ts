import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { duplexPair } from 'node:stream'
import { test } from 'node:test'
import type { MachineHandle } from '@sandglass/machines/contract'
import { Caller, type Handlers, Responder } from '@sandglass/rpc'
import { type AccessMethods, accessMethods } from '../access-methods.ts'
import { machineErrors } from '../machine-errors.ts'
import { SocketPasser } from '../passed-sockets.ts'
import { HostWorkers } from './host-workers.ts'
import { HostedWorkers } from './serve-workers.ts'
import { socketPair } from './socket-pair.ts'
import { Admitted } from './worker-access.ts'

const handleOf = (id: string): MachineHandle => ({ engine: 'local', version: 1, state: { id } })

/** What a worker can ask, with a host that records which machines were touched. */
function accessOf(admitted: Admitted) {
  const touched: unknown[] = []
  const touch = async ({ handle }: { readonly handle: MachineHandle }) => {
    touched.push(handle.state)
    throw new Error('reached')
  }
  const handlers: Handlers<AccessMethods> = {
    reach: touch,
    connect: touch,
    dialPort: touch,
    isAwake: touch,
    assertStorable: touch,
    activity: touch,
    ending: touch,
  }
  const [worker, host] = duplexPair()
  new Responder(host, {
    methods: accessMethods,
    handlers: admitted.guard(handlers),
    errors: machineErrors,
  })
  return { caller: new Caller(worker, { methods: accessMethods, errors: machineErrors }), touched }
}

test('a worker reaches the machines that it was given, until they are taken away, and no others', async () => {
  const admitted = new Admitted()
  const { caller, touched } = accessOf(admitted)
  const [own, foreign] = [handleOf('own'), handleOf('foreign')]
  admitted.add(own)
  const calls = (handle: MachineHandle) => [
    () => caller.call('reach', { handle }),
    () => caller.call('connect', { handle, socket: 'agent' }),
    () => caller.call('dialPort', { handle, address: '127.0.0.1', port: 80 }),
    () => caller.call('isAwake', { handle }),
    () => caller.call('assertStorable', { handle, bytes: 1 }),
    () => caller.call('activity', { handle }),
    () => caller.call('ending', { handle }),
  ]
  assert.deepEqual(Object.keys(accessMethods).length, calls(own).length)
  for (const call of calls(foreign)) await assert.rejects(call, { code: 'MACHINE_FAILED' })
  assert.deepEqual(touched, [])
  for (const call of calls(own)) await assert.rejects(call, /reached/)
  assert.equal(touched.length, calls(own).length)
  admitted.remove(own)
  for (const call of calls(own)) await assert.rejects(call, { code: 'MACHINE_FAILED' })
})

test('a worker with a machine of one engine does not reach one of another engine with the same id', async () => {
  const admitted = new Admitted()
  const { caller, touched } = accessOf(admitted)
  const own = handleOf('same')
  admitted.add(own)
  const foreign = { ...own, engine: 'qemu' }
  await assert.rejects(caller.call('reach', { handle: foreign }), { code: 'MACHINE_FAILED' })
  await assert.rejects(caller.call('connect', { handle: foreign, socket: 'input' }), {
    code: 'MACHINE_FAILED',
  })
  assert.deepEqual(touched, [])
  admitted.add(foreign)
  admitted.remove(own)
  await assert.rejects(caller.call('connect', { handle: foreign, socket: 'input' }), /reached/)
  await assert.rejects(caller.call('reach', { handle: own }), { code: 'MACHINE_FAILED' })
})

test('a worker cannot name a socket or an address that is none', async () => {
  const admitted = new Admitted()
  const { caller, touched } = accessOf(admitted)
  const handle = handleOf('own')
  admitted.add(handle)
  await assert.rejects(caller.call('connect', { handle, socket: '../agent' as 'agent' }))
  await assert.rejects(caller.call('dialPort', { handle, address: '127.0.0.1 80\n1 1', port: 80 }))
  await assert.rejects(caller.call('dialPort', { handle, address: '127.0.0.1', port: 0 }))
  assert.deepEqual(touched, [])
})

test('both ends of a pair are connected', async () => {
  const [one, other] = await socketPair()
  other.end('hello')
  one.resume()
  const [text] = await one.setEncoding('utf8').take(1).toArray()
  assert.equal(text, 'hello')
  one.destroy()
})

test('a worker that ends is forgotten, and nothing can be given to it', async () => {
  const noFront = spawn('true', { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] })
  await once(noFront, 'exit')
  const ended = Promise.withResolvers<void>()
  const workers = new HostedWorkers(
    {
      startWorker: async onEnd => {
        const child = spawn('sleep', ['100'], { stdio: ['ignore', 'ignore', 'inherit', 'pipe', 'ipc'] })
        child.once('exit', () => {
          onEnd()
          ended.resolve()
        })
        return { child }
      },
      keepFiles: () => assert.fail(),
    },
    () => assert.fail(),
    new SocketPasser(noFront),
  )
  const { startWorker, admit, endWorker } = workers.handlers
  const call = { signal: AbortSignal.timeout(60_000), channels: [], bytes: Buffer.of() }
  // The connection cannot be passed to a front that is gone, so the worker is ended again.
  await assert.rejects(startWorker({}, call))
  await ended.promise
  await assert.rejects(admit({ worker: 1, handle: handleOf('own') }, call), { code: 'UNREACHABLE' })
  await endWorker({ worker: 1 }, call)
})

/** Processes that take what is passed to them and do nothing. */
const idle = () => spawn('sleep', ['100'], { stdio: ['ignore', 'ignore', 'inherit', 'pipe', 'ipc'] })

test('the front is told when a worker has ended, although its connection may still be on the way', async () => {
  const [front, worker] = [idle(), idle()]
  try {
    const told = Promise.withResolvers<number>()
    const workers = new HostedWorkers(
      {
        startWorker: async onEnd => ({ child: worker.once('exit', onEnd) }),
        keepFiles: () => assert.fail(),
      },
      () => assert.fail(),
      new SocketPasser(front),
      told.resolve,
    )
    const call = { signal: AbortSignal.timeout(60_000), channels: [], bytes: Buffer.of() }
    await workers.handlers.startWorker({}, call)
    worker.kill('SIGKILL')
    assert.equal(await told.promise, 1)
  } finally {
    front.kill('SIGKILL')
    worker.kill('SIGKILL')
  }
})

test('the connection to a worker is closed when the host says that it has ended, even if that was before it arrived', async () => {
  const started = { worker: 7, pid: 1, connection: 3 }
  const [link, other] = await socketPair()
  const arrived = Promise.withResolvers<Socket>()
  const workers = new HostWorkers({ call: async () => started as never }, { take: () => arrived.promise })
  const starting = workers.start()
  workers.ended(7)
  arrived.resolve(link)
  assert.equal((await starting).link, link)
  await once(link, 'close')
  other.destroy()
})
