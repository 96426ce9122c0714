import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MachineError, type MachineHandle, type MachineSpec } from '@sandglass/machines/contract'
import { Caller } from '@sandglass/rpc'
import { HostConnection } from './host-connection.ts'
import { machineErrors } from './machine-errors.ts'
import { hostMethods } from './methods.ts'
import type { EngineOfHost } from './opened-engines.ts'
import { engineWith, failing, handleOf, hostedEngine, serveEngines, testSpec } from './test-host.ts'

/** Two engines that record what reaches them, and the front's connection to them. */
async function twoEngines(replaced: (name: string) => Partial<EngineOfHost> = () => ({})) {
  const calls: (readonly unknown[])[] = []
  const recording = (name: string): EngineOfHost => {
    const note = (what: string) => async (given?: unknown) => void calls.push([name, what, given])
    const snapshot = handleOf(name, 'disk')
    return engineWith({
      name,
      create: async ({ id }: MachineSpec) => {
        await note('create')(id)
        return handleOf(name, id)
      },
      destroy: note('destroy'),
      stop: note('stop'),
      list: async () => [{ id: name, handle: handleOf(name), owner: undefined, image: undefined }],
      health: async () => ({ ready: true, unavailable: { [name]: 'It is away.' } }),
      capacity: async () => ({ fits: name.length }),
      diskSpace: async () => ({ freeBytes: name.length, totalBytes: 100 }),
      imageDigest: async image => `${image} of ${name}`,
      assign: tenants => void calls.push([name, 'assign', tenants]),
      snapshots: {
        take: async given => {
          await note('take')(given)
          return { handle: snapshot, pauseMs: 1, sizeMiB: 1 }
        },
        create: async given => {
          await note('createFrom')(given)
          return handleOf(name)
        },
        restore: note('restore'),
        remove: note('remove'),
        list: async () => [{ id: name, handle: snapshot, owner: undefined, sizeMiB: 1 }],
      },
      close: note('close'),
      ...replaced(name),
    })
  }
  const engines = { local: hostedEngine(recording('local')), qemu: hostedEngine(recording('qemu')) }
  const { front, served } = serveEngines(engines)
  const host = new HostConnection(front)
  for (const name of ['local', 'qemu']) await host.configure(name)
  const { engine: local } = await host.open('local')
  const { engine: qemu } = await host.open('qemu')
  return { calls, host, served, local, qemu }
}

test('every request reaches the engine that it is about', async () => {
  const { calls, local, qemu } = await twoEngines()
  assert.deepEqual([local.name, qemu.name], ['local', 'qemu'])
  for (const engine of [local, qemu]) {
    const { name } = engine
    const handle = await engine.create({ ...testSpec, id: `new-${name}` })
    assert.deepEqual(handle, handleOf(name, `new-${name}`))
    assert.deepEqual(
      (await engine.list()).map(({ id }) => id),
      [name],
    )
    assert.deepEqual(await engine.health(), { ready: true, unavailable: { [name]: 'It is away.' } })
    assert.deepEqual(await engine.capacity(1), { fits: name.length })
    assert.deepEqual(await engine.diskSpace(), { freeBytes: name.length, totalBytes: 100 })
    assert.equal(await engine.imageDigest('desktop'), `desktop of ${name}`)
    assert.deepEqual(
      (await engine.snapshots?.list())?.map(({ id }) => id),
      [name],
    )
    const taken = await engine.snapshots?.take(handle, { id: 'disk' })
    const snapshot = taken?.handle ?? assert.fail()
    await engine.snapshots?.create(snapshot, testSpec)
    await engine.snapshots?.restore(handle, snapshot)
    await engine.snapshots?.remove(snapshot)
    await engine.stop?.(handle)
    engine.assign(new Map([['m', name]]))
    await engine.destroy(handle)
    assert.deepEqual(
      calls.splice(0).map(([by, what]) => [by, what]),
      ['create', 'take', 'createFrom', 'restore', 'remove', 'stop', 'assign', 'destroy'].map(what => [
        name,
        what,
      ]),
    )
  }
})

test('a handle decides which engine is asked, whoever asks', async () => {
  const { calls, local } = await twoEngines()
  await local.destroy(handleOf('qemu'))
  await local.snapshots?.remove(handleOf('qemu', 'disk'))
  assert.deepEqual(
    calls.map(([by, what]) => [by, what]),
    [
      ['qemu', 'destroy'],
      ['qemu', 'remove'],
    ],
  )
})

test('an engine that the host does not have, or that is not open, is named', async () => {
  const { front } = serveEngines({ local: hostedEngine(engineWith()), qemu: hostedEngine(engineWith()) })
  const caller = new Caller(front, { methods: hostMethods, errors: machineErrors })
  for (const engine of ['cluster', '__proto__', '']) {
    const message = `the host has no engine ${JSON.stringify(engine)}; it has local, qemu`
    for (const name of ['configure', 'open', 'list', 'health', 'prepared', 'close'] as const)
      await assert.rejects(caller.call(name, { engine }), { code: 'INVALID', message })
    await assert.rejects(caller.call('destroy', { handle: handleOf(engine) }), { code: 'INVALID', message })
  }
  await caller.call('configure', { engine: 'local' })
  await caller.call('open', { engine: 'local' })
  await assert.rejects(caller.call('open', { engine: 'local' }), {
    code: 'STATE',
    message: 'the engine local is open already',
  })
  await assert.rejects(caller.call('open', { engine: 'qemu' }), {
    code: 'STATE',
    message: 'the engine qemu is not configured',
  })
  await assert.rejects(caller.call('inspect', { handle: handleOf('qemu') }), {
    code: 'STATE',
    message: 'the engine qemu is not open',
  })
})

test('an engine that cannot be opened does not keep another from working, and can be opened later', async () => {
  let isInstalled = false
  const engines = {
    local: hostedEngine(engineWith()),
    qemu: {
      configure: async () => async () => {
        if (!isInstalled) throw new Error('QEMU is not installed')
        return {
          engine: engineWith({ name: 'qemu' }),
          prepared: Promise.resolve(),
          close: async () => {},
          offer: async () => ({ note: 'It is slow.', shapes: [] }),
        }
      },
    },
  }
  const { front, served } = serveEngines(engines)
  const host = new HostConnection(front)
  await host.configure('qemu')
  await host.configure('local')
  await assert.rejects(host.open('qemu'), /QEMU is not installed/)
  const { engine: local, offer: none } = await host.open('local')
  assert.equal(none, undefined)
  assert.deepEqual(await local.create(testSpec), handleOf('local'))
  isInstalled = true
  const { engine: qemu, offer } = await host.open('qemu')
  assert.deepEqual(await offer?.(), { note: 'It is slow.', shapes: [] })
  assert.deepEqual(await qemu.create(testSpec), handleOf('qemu'))
  await qemu.close()
  await assert.rejects(qemu.list(), { code: 'STATE' })
  assert.equal((await local.list()).length, 1)
  await served.close()
})

test('engines are closed when the work of each is done, also if another cannot be closed', async () => {
  const order: string[] = []
  const work = { local: Promise.withResolvers<void>(), qemu: Promise.withResolvers<void>() }
  const { local, qemu, served } = await twoEngines(name => ({
    name,
    destroy: async () => {
      await work[name as keyof typeof work].promise
      order.push(`${name} destroyed`)
    },
    close: async () => {
      order.push(`${name} closed`)
      if (name === 'local') throw new Error('it does not close')
    },
  }))
  for (const engine of [local, qemu]) engine.destroy(handleOf(engine.name)).catch(() => {})
  for (const engine of [local, qemu]) await engine.inspect(handleOf(engine.name))
  const closed = assert.rejects(served.close(), /it does not close/)
  work.local.resolve()
  // The other has to wait for nothing of this one.
  while (!order.includes('local closed')) await new Promise(setImmediate)
  assert.deepEqual(order, ['local destroyed', 'local closed'])
  work.qemu.resolve()
  await closed
  assert.deepEqual(order, ['local destroyed', 'local closed', 'qemu destroyed', 'qemu closed'])
})

test('an engine that is being opened when the front ends is closed too', async () => {
  const opening = Promise.withResolvers<void>()
  let isClosed = false
  const engine = engineWith()
  const { front, served } = serveEngines({
    local: {
      configure: async () => async () => {
        await opening.promise
        return {
          engine,
          prepared: Promise.resolve(),
          close: async () => {
            isClosed = true
          },
        }
      },
    },
  })
  const host = new HostConnection(front)
  await host.configure('local')
  const opened = assert.rejects(host.open('local'))
  await assert.rejects(host.open('local'), { code: 'STATE' })
  const closed = served.close()
  opening.resolve()
  await closed
  await opened
  assert.equal(isClosed, true)
})

test('errors keep their code whichever engine throws them', async () => {
  const { qemu } = await twoEngines(() => ({
    restart: async (_: MachineHandle) => {
      throw new MachineError('NO_CAPACITY', 'there is no memory')
    },
    figures: failing,
  }))
  await assert.rejects(qemu.restart(handleOf('qemu')), { code: 'NO_CAPACITY', message: 'there is no memory' })
})
