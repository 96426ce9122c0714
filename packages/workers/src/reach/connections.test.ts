import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { MachineError, type MachineReach } from '@sandglass/machines/contract'
import { waitFor } from '@sandglass/machines/testing'
import { Caller, type Handlers, Responder } from '@sandglass/rpc'
import { machineErrors } from '../errors.ts'
import { readablePair } from '../testing/readable-pair.ts'
import { AskedConnections } from './asked-connections.ts'
import { GrantedReaches } from './granted-reaches.ts'
import { maxConnections } from './max-connections.ts'
import { reachMethods, reachNotices } from './reach-methods.ts'

/** A front and a worker. */
async function linked(t: TestContext, served?: Handlers<typeof reachMethods>) {
  const [front, back] = await readablePair()
  const caller = new Caller(front, {
    methods: reachMethods,
    notices: reachNotices,
    errors: machineErrors,
    onNotice: { dial: question => granted.dial(question), told: line => granted.tell(line) },
  })
  const granted = new GrantedReaches(() => caller)
  const asked = new AskedConnections(question => worker.tell('dial', question))
  const worker = new Responder<typeof reachMethods, typeof reachNotices>(back, {
    methods: reachMethods,
    errors: machineErrors,
    handlers: served ?? asked.handlers,
  })
  void caller.ended.then(() => granted.withdrawAll())
  t.after(() => caller.close())
  return { caller, granted, worker, asked }
}

/** A device that accepts connections, and the way to it. */
async function device(t: TestContext, onConnection: (socket: Socket) => void = () => {}) {
  const sockets: Socket[] = []
  const server = createServer({ allowHalfOpen: true }, socket => {
    sockets.push(socket.on('error', () => {}))
    onConnection(socket)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const dialled: Socket[] = []
  t.after(() => {
    server.close()
    for (const socket of [...sockets, ...dialled]) socket.destroy()
  })
  const accepted = async () => {
    await waitFor(() => sockets.length > 0)
    return sockets[0] ?? assert.fail()
  }
  const told: string[] = []
  const reach: MachineReach = {
    details: null,
    ended: new Promise(() => {}),
    dial: async () => {
      const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
      dialled.push(socket)
      await once(socket, 'connect')
      return socket
    },
    tell: line => void told.push(line),
    close: () => {
      for (const socket of dialled) socket.destroy()
    },
  }
  return { reach, sockets, accepted, told }
}

const fails = (code: string, message: RegExp) => (error: unknown) =>
  error instanceof MachineError && error.code === code && message.test(error.message)

const large = Buffer.alloc(5_000_000, 'abcdefghijk')

test('what a device sends arrives at the worker to the last byte, and then the connection closes', async t => {
  const { reach } = await device(t, socket => socket.end(large))
  const { granted, asked } = await linked(t)
  const connection = await asked.dial(granted.grant(reach))
  const closed = once(connection, 'close')
  assert.ok(large.equals(await buffer(connection)))
  await closed
})

test('what a worker sends arrives at the device to the last byte, and then the connection closes, whatever the device does', async t => {
  const received = Promise.withResolvers<Buffer>()
  const { reach, sockets } = await device(t, socket => received.resolve(buffer(socket)))
  const { granted, asked } = await linked(t)
  const connection = await asked.dial(granted.grant(reach))
  const closed = once(connection, 'close')
  connection.write(large)
  connection.destroySoon()
  assert.ok(large.equals(await received.promise))
  // The device has not closed its side.
  assert.equal(sockets[0]?.writable, true)
  await closed
})

test('a device whose worker does not read has to wait, and others need not', async t => {
  const { reach, accepted } = await device(t)
  const { granted, asked } = await linked(t)
  const connection = await asked.dial(granted.grant(reach))
  const socket = await accepted()
  const flood = Buffer.alloc(256 * 1024 * 1024)
  socket.write(flood)
  await waitFor(() => connection.readableLength >= connection.readableHighWaterMark)
  // By the time that another device has sent all it has, the flood would have arrived too if nothing held it back.
  const other = await device(t, sender => sender.end(large))
  assert.ok(large.equals(await buffer(await asked.dial(granted.grant(other.reach)))))
  assert.ok(socket.writableLength > flood.length / 2)
  connection.destroy()
  await new Promise(resolve => socket.once('close', resolve))
})

test('a connection that the device resets fails in the worker', async t => {
  const { reach, accepted } = await device(t)
  const { granted, asked } = await linked(t)
  const connection = await asked.dial(granted.grant(reach))
  const socket = await accepted()
  socket.resetAndDestroy()
  await assert.rejects(buffer(connection), /ECONNRESET/)
})

test('a connection that cannot be made fails in the worker with the same error', async t => {
  const message = 'The adb server 127.0.0.1:1 cannot be reached: ECONNREFUSED.'
  const { reach } = await device(t)
  const { granted, asked } = await linked(t)
  const refused = granted.grant({
    ...reach,
    dial: () => Promise.reject(new MachineError('UNREACHABLE', message)),
  })
  await assert.rejects(
    asked.dial(refused),
    fails('UNREACHABLE', /^The adb server 127\.0\.0\.1:1 cannot be reached/),
  )
})

test('a worker gets no connection to a machine that it was not given, or no longer has', async t => {
  const { reach, sockets, told } = await device(t)
  const [own, other] = [await linked(t), await linked(t)]
  const theirs = other.granted.grant(reach)
  const gone = own.granted.grant(reach)
  own.granted.withdraw(gone)
  for (const opening of [theirs + 1, gone, 0, -1])
    await assert.rejects(own.asked.dial(opening), fails('MACHINE_FAILED', /belongs to another worker/))
  own.worker.tell('told', { opening: theirs + 1, line: 'a lie' })
  await assert.rejects(own.asked.dial(0), fails('MACHINE_FAILED', /another worker/))
  assert.deepEqual([sockets.length, told], [0, []])
})

test('a worker has a limited number of connections, and one that asks for more all the same is ended', async t => {
  const { reach } = await device(t)
  const { granted, asked, worker, caller } = await linked(t)
  let dials = 0
  const opening = granted.grant({
    ...reach,
    dial: () => {
      dials++
      return new Promise(() => {})
    },
  })
  for (let times = 0; times < maxConnections; times++) asked.dial(opening).catch(() => {})
  await assert.rejects(asked.dial(opening), fails('NO_CAPACITY', /at most/))
  for (let dial = 1; dial <= 4 * maxConnections; dial++) worker.tell('dial', { dial: -dial, opening })
  await caller.ended
  assert.ok(dials <= 2 * maxConnections)
})

test('a worker that does not take the answers to its questions is ended', async t => {
  const never = () => new Promise<never>(() => {})
  const { worker, caller } = await linked(t, { 'reach.connected': never, 'reach.failed': never })
  for (let dial = 1; dial <= 4 * maxConnections; dial++) worker.tell('dial', { dial, opening: 7 })
  await caller.ended
})

test('the connections of a worker are closed with it', async t => {
  const { reach, accepted } = await device(t)
  const { granted, asked, worker } = await linked(t)
  const connection = await asked.dial(granted.grant(reach))
  connection.resume()
  const socket = await accepted()
  socket.resume().once('end', () => socket.end())
  worker.close()
  await once(socket, 'close')
})

test('a connection that is closed before the worker has it is closed there too, and does not count any longer', async t => {
  const { reach } = await device(t)
  const { granted, asked } = await linked(t)
  const opening = granted.grant({
    ...reach,
    dial: async () => {
      const connection = await reach.dial()
      connection.destroy()
      await once(connection, 'close')
      return connection
    },
  })
  for (let times = 0; times < 3 * maxConnections; times++) {
    const connection = await asked.dial(opening)
    if (!connection.closed) await once(connection, 'close')
  }
})

test('a worker tells the operator a few lines per second at most', async t => {
  const { reach, told } = await device(t)
  const { granted, worker, asked } = await linked(t)
  const opening = granted.grant(reach)
  for (let times = 0; times < 1000; times++) worker.tell('told', { opening, line: `line ${times}` })
  await assert.rejects(asked.dial(0))
  assert.equal(told[0], 'line 0')
  assert.ok(told.length < 100)
})
