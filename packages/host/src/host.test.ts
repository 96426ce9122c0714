import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { after, test } from 'node:test'
import { MachineError, type MachineHandle, type MachineSpec } from '@sandglass/machines/contract'
import { Caller, LinkClosed } from '@sandglass/rpc'
import { machineErrors } from './machine-errors.ts'
import { hostMethods } from './methods.ts'
import type { EngineOfHost } from './opened-engines.ts'
import { SocketPasser } from './passed-sockets.ts'
import { engineWith, failing, handleOf, hostedEngine, openedOn, serveEngines, testSpec } from './test-host.ts'

const spec = testSpec
const handle = handleOf('local')
const connect = (engine: EngineOfHost) => serveEngines({ local: hostedEngine(engine) })

test('the front uses the engine of the host as if it were its own', async () => {
  const specs: MachineSpec[] = []
  const tenants: ReadonlyMap<string, string>[] = []
  const { engine } = await openedOn(
    engineWith({
      create: async given => {
        specs.push(given)
        return handle
      },
      assign: assigned => tenants.push(assigned),
    }),
  )
  const full: MachineSpec = {
    ...spec,
    egress: [{ host: 'example.com', ports: [443] }, { cidr: '203.0.113.0/24' }],
    env: { A: 'b' },
    screen: { width: 640, height: 480 },
    sudo: false,
    owner: { installation: 'i', node: 'n', number: 7 },
  }
  assert.deepEqual(await engine.create(full), handle)
  assert.deepEqual(specs, [full])
  assert.deepEqual(await engine.health(), { ready: true, unavailable: { desktop: 'It is being built.' } })
  assert.deepEqual(await engine.capacity(512, 'minimal'), { fits: 3 })
  assert.deepEqual(await engine.diskSpace?.(), { freeBytes: 2, totalBytes: 5 })
  assert.deepEqual(await engine.inspect(handle), { status: 'running' })
  assert.deepEqual(await engine.list(), [{ id: 'one', handle, image: 'minimal' }])
  engine.assign?.(new Map([['one', 'org']]))
  await engine.destroy(handle)
  assert.deepEqual(tenants, [new Map([['one', 'org']])])
})

test('the front uses the snapshots of the host, and knows whether it has any', async () => {
  const snapshot = { engine: 'local', version: 1, state: { id: 'disk' } }
  const owner = { installation: 'i', node: 'n', number: 8 }
  const calls: unknown[] = []
  const { engine } = await openedOn(
    engineWith({
      stop: async given => void calls.push(['stop', given]),
      snapshots: {
        take: async (given, taken) => {
          calls.push(['take', given, taken])
          return { handle: snapshot, pauseMs: 12.5, sizeMiB: 3 }
        },
        create: async (given, made) => {
          calls.push(['create', given, made])
          return handle
        },
        restore: async (...given) => void calls.push(['restore', ...given.slice(0, 2)]),
        remove: async given => void calls.push(['remove', given]),
        list: async () => [{ id: 'disk', handle: snapshot, owner, sizeMiB: 3 }],
      },
    }),
  )
  await engine.stop?.(handle)
  const taken = await engine.snapshots?.take(handle, { id: 'disk', owner })
  assert.deepEqual(taken, { handle: snapshot, pauseMs: 12.5, sizeMiB: 3 })
  assert.deepEqual(await engine.snapshots?.create(snapshot, spec), handle)
  await engine.snapshots?.restore(handle, snapshot)
  await engine.snapshots?.remove(snapshot)
  assert.deepEqual(await engine.snapshots?.list(), [{ id: 'disk', handle: snapshot, owner, sizeMiB: 3 }])
  assert.deepEqual(calls, [
    ['stop', handle],
    ['take', handle, { id: 'disk', owner }],
    ['create', snapshot, spec],
    ['restore', handle, snapshot],
    ['remove', snapshot],
  ])
  const { engine: plain } = await openedOn(engineWith())
  assert.deepEqual([plain.snapshots, plain.stop], [undefined, undefined])
})

test('the front uses the volumes of the host, and knows whether it has any', async () => {
  const volume = { engine: 'local', version: 1, state: { id: 'data' } }
  const owner = { installation: 'i', node: 'n', number: 8 }
  const calls: unknown[] = []
  const { engine } = await openedOn(
    engineWith({
      create: async given => {
        calls.push(['machine', given.volumes])
        return handle
      },
      volumes: {
        create: async given => {
          calls.push(['create', given])
          return volume
        },
        remove: async given => void calls.push(['remove', given]),
        list: async () => [{ id: 'data', handle: volume, owner, usedMiB: 3.5 }],
      },
    }),
  )
  assert.deepEqual(await engine.volumes?.create({ id: 'data', sizeMiB: 64, owner }), volume)
  const volumes = [{ id: 'data', path: '/srv/data', readOnly: true }]
  await engine.create({ ...spec, volumes })
  await engine.volumes?.remove(volume)
  assert.deepEqual(await engine.volumes?.list(), [{ id: 'data', handle: volume, owner, usedMiB: 3.5 }])
  assert.deepEqual(calls, [
    ['create', { id: 'data', sizeMiB: 64, owner }],
    ['machine', volumes],
    ['remove', volume],
  ])
  const { engine: plain } = await openedOn(engineWith())
  assert.equal(plain.volumes, undefined)
})

test('errors of machines keep their code and message', async () => {
  const { engine } = await openedOn(
    engineWith({
      destroy: async () => {
        throw new MachineError('NO_CAPACITY', 'the disk is full')
      },
    }),
  )
  await assert.rejects(engine.destroy(handle), error => {
    assert.ok(error instanceof MachineError)
    assert.deepEqual([error.code, error.message], ['NO_CAPACITY', 'the disk is full'])
    return true
  })
})

test('a create that is aborted is aborted in the host, and so is one whose front has ended', async () => {
  const aborted: string[] = []
  const create = (given: MachineSpec, { signal }: { readonly signal?: AbortSignal } = {}) =>
    new Promise<MachineHandle>((_, reject) =>
      signal?.addEventListener('abort', () => {
        aborted.push(given.id)
        reject(new Error('aborted'))
      }),
    )
  const { engine, served, host } = await openedOn(engineWith({ create }))
  const [controller, reason] = [new AbortController(), new Error('enough')]
  const creating = engine.create(spec, { signal: controller.signal })
  controller.abort(reason)
  await assert.rejects(creating, error => error === reason)
  const other = engine.create({ ...spec, id: 'two' })
  const lost = assert.rejects(other, { code: 'UNREACHABLE' })
  // Calls are served in order, so the create has begun when a later call is answered.
  await engine.inspect(handle)
  host.close()
  await lost
  await served.close()
  assert.deepEqual(aborted, ['one', 'two'])
})

test('the engine is closed only when what was asked for is done', async () => {
  const order: string[] = []
  const destroying = Promise.withResolvers<void>()
  const { engine, served } = await openedOn(
    engineWith({
      destroy: async () => {
        await destroying.promise
        order.push('destroyed')
      },
      close: async () => void order.push('closed'),
    }),
  )
  engine.destroy(handle).catch(() => {})
  await engine.inspect(handle)
  const closed = served.close()
  destroying.resolve()
  await closed
  assert.deepEqual(order, ['destroyed', 'closed'])
})

const engine = 'local'
const malformed: readonly (readonly [name: keyof typeof hostMethods, args: unknown])[] = [
  ['create', { engine, spec: { ...spec, rootfs: '/etc' } }],
  ['create', { engine, spec: { ...spec, memoryMiB: '512' } }],
  ['create', { engine, spec: { ...spec, env: { A: ['b'] } } }],
  ['create', { engine, spec: { ...spec, egress: [{ file: '/etc' }] } }],
  ['create', { spec }],
  ['create', { engine: ['local'], spec }],
  ['list', { engine, folder: '/' }],
  ['open', {}],
  ['offer', { engine, images: '/etc' }],
  ['destroy', { handle: 'one' }],
  ['destroy', { handle, force: true }],
  ['stop', { handle, force: true }],
  ['takeSnapshot', { handle, spec: { id: 'disk', path: '/etc' } }],
  ['createFromSnapshot', { snapshot: '/etc', spec }],
  ['restoreSnapshot', { handle, snapshot: handle, path: '/etc' }],
  ['removeSnapshot', { snapshot: '../other' }],
  ['createVolume', { engine, spec: { id: 'data', sizeMiB: 64, path: '/etc' } }],
  ['createVolume', { engine, spec: { id: 'data', sizeMiB: '64' } }],
  ['removeVolume', { volume: '../other' }],
  ['listVolumes', { engine, folder: '/' }],
  ['create', { engine, spec: { ...spec, volumes: [{ id: 'data', path: '/srv', source: '/etc' }] } }],
  ['create', { engine, spec: { ...spec, volumes: [{ id: 'data', path: ['/srv'] }] } }],
  ['admit', { worker: 1, handle: '../other' }],
  ['startWorker', { command: 'sh' }],
  ['startWorker', { oldFile: '../secret-key' }],
  ['keepFiles', { files: ['../../node-id'] }],
]
for (const [name, args] of malformed)
  test(`the host refuses ${name} with ${JSON.stringify(args)}`, async () => {
    let reached = false
    const touch = async () => {
      reached = true
      return failing()
    }
    const snapshots = { take: touch, create: touch, restore: touch, remove: touch, list: touch }
    const volumes = { create: touch, remove: touch, list: touch }
    const touched = engineWith({
      create: touch,
      destroy: touch,
      access: touch,
      stop: touch,
      snapshots,
      volumes,
    })
    const { front } = connect(touched)
    const caller = new Caller(front, { methods: hostMethods, errors: machineErrors })
    await caller.call('configure', { engine })
    await caller.call('open', { engine })
    await assert.rejects(caller.call(name, args as never))
    assert.equal(reached, false)
  })

test('an unknown request ends the connection', async () => {
  const { front } = connect(engineWith())
  const methods = { ...hostMethods, run: hostMethods.health }
  const caller = new Caller(front, { methods, errors: machineErrors })
  await assert.rejects(caller.call('run', { engine }), LinkClosed)
})

test('nothing can be asked of an engine before it is open', async () => {
  const { front } = connect(engineWith())
  const caller = new Caller(front, { methods: hostMethods, errors: machineErrors })
  await assert.rejects(caller.call('list', { engine }), { code: 'STATE' })
  await assert.rejects(caller.call('open', { engine }), { code: 'STATE' })
})

test('connections are passed to another process with everything that the other side sends first', async () => {
  const module = new URL('passed-sockets.ts', import.meta.url).href
  const script = `const { PassedSockets } = await import(${JSON.stringify(module)})
    const sockets = new PassedSockets()
    process.channel.ref()
    for (const number of [3, 1, 2]) (await sockets.take(number)).pipe(process.stdout)`
  const child: ChildProcess = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  after(() => child.kill('SIGKILL'))
  const server = createServer(socket => socket.end('hello '))
  after(() => server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { connect: dial } = await import('node:net')
  const address = server.address()
  assert.ok(address && typeof address === 'object')
  const passer = new SocketPasser(child)
  for (const expected of [1, 2, 3]) {
    const socket = dial(address.port, '127.0.0.1').pause()
    await once(socket, 'connect')
    assert.deepEqual(await passer.pass(socket), { connection: expected })
  }
  let text = ''
  for await (const piece of child.stdout ?? []) {
    text += piece
    if (text === 'hello hello hello ') break
  }
  assert.equal(text, 'hello hello hello ')
})

test('what engines keep cannot be read if the settings ask for no backups of it', async () => {
  const kept = { describe: failing, read: failing }
  const { front } = serveEngines({ local: hostedEngine(engineWith({ kept })) })
  const caller = new Caller(front, { methods: hostMethods, errors: machineErrors })
  await caller.call('configure', { engine: 'local' })
  const { hasKept } = await caller.call('open', { engine: 'local' })
  assert.equal(hasKept, false)
  const what = { engine: 'local', kind: 'volume', id: 'one' } as const
  for (const method of ['describeKept', 'readKept'] as const)
    await assert.rejects(caller.call(method, what), /the settings name nothing/)
})
