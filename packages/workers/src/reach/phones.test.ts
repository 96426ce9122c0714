import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { FakeViewer } from '@sandglass/gateway/testing'
import { ScrcpyServer } from '@sandglass/machines/adb'
import { MachineError } from '@sandglass/machines/contract'
import { FakeScrcpy, phoneEngine, phoneSpec, picture } from '@sandglass/machines/test-phones'
import { waitFor } from '@sandglass/machines/testing'
import type { StartedWorker } from '../contract/worker-host.ts'
import { RecordedSession } from '../live/testing/recorded-session.ts'
import { WorkerPool } from '../pool/worker-pool.ts'
import { workersHere } from '../testing/workers-here.ts'

/** Workers, none of which reaches anything through a host. */
function poolOf(t: TestContext) {
  const here = workersHere(async () => assert.fail('a phone is no machine of the host'))
  const started: StartedWorker[] = []
  const host = {
    ...here,
    start: async () => {
      const worker = await here.start()
      started.push(worker)
      return worker
    },
  }
  const workers = new WorkerPool({ host })
  t.after(() => workers.close())
  return { workers, started }
}

const screen = picture({ width: 362, height: 646 }, { x: 20, y: 30, width: 100, height: 80 }, [250, 20, 30])
const fails = (code: string) => (error: unknown) => error instanceof MachineError && error.code === code

test('a phone is opened in a worker, and its connections are closed with it', async t => {
  const { engine, fakes } = await phoneEngine(t, ['healthy'])
  const [fake = assert.fail()] = fakes
  const { workers } = poolOf(t)
  const machine = await workers.open(engine, await engine.create(phoneSpec()), 'a tenant')
  assert.deepEqual(machine.screenSize, { width: 1080, height: 1920 })
  assert.deepEqual([machine.isPhone, machine.guest.user], [true, 'shell'])
  assert.ok(fake.connections > 0)
  machine.close()
  await waitFor(() => fake.connections === 0)
})

test('a worker looks at the screen of a phone', async t => {
  const { engine, fakes } = await phoneEngine(t, ['healthy'])
  new FakeScrcpy(fakes[0] ?? assert.fail(), screen)
  const { workers } = poolOf(t)
  const machine = await workers.open(engine, await engine.create(phoneSpec()), 'a tenant')
  const { capture = assert.fail() } = await machine.screen.look(
    { picture: { format: 'png', pointer: false } },
    new AbortController().signal,
  )
  assert.deepEqual(capture.size, { width: 362, height: 646 })
})

test('a phone that vanishes, or is given back, has died in its worker as well, with the reason', async t => {
  const { engine, fakes } = await phoneEngine(t, ['healthy', 'healthy'])
  const { workers } = poolOf(t)
  const [first, second] = [await engine.create(phoneSpec()), await engine.create(phoneSpec())]
  const [vanishing, released] = [
    await workers.open(engine, first, 'a'),
    await workers.open(engine, second, 'a'),
  ]
  await fakes[0]?.vanish()
  const { reason, orderly, cause } = await vanishing.died
  assert.match(reason, new RegExp(`^The device ${fakes[0]?.address} is gone: .*ECONNREFUSED`))
  assert.deepEqual([orderly, cause], [false, 'engine-lost'])
  await assert.rejects(workers.open(engine, first, 'a'), fails('STATE'))
  await engine.destroy(second)
  assert.deepEqual(await released.died, { reason: 'The phone was given back.', orderly: false })
  await assert.rejects(released.exec({ executable: 'true' }), fails('MACHINE_FAILED'))
  await waitFor(() => fakes[1]?.connections === 0)
})

test('a phone outlives a lost connection, and its worker', async t => {
  const { engine, fakes } = await phoneEngine(t, ['healthy'])
  const [fake = assert.fail()] = fakes
  const { workers, started } = poolOf(t)
  const machine = await workers.open(engine, await engine.create(phoneSpec()), 'a tenant')
  let hasDied = false
  void machine.died.then(() => {
    hasDied = true
  })
  let opened = 0
  fake.onService = service => {
    if (service.startsWith('exec:id')) opened++
    return 'left'
  }
  await fake.hangUp()
  await waitFor(() => fake.connections > 0)
  assert.equal(opened, 0)
  started[0]?.kill()
  await waitFor(() => opened === 1)
  assert.equal(hasDied, false)
  machine.close()
  await waitFor(() => fake.connections === 0)
})

test('a phone that misbehaves is not opened, and others are', async t => {
  const { engine, fakes } = await phoneEngine(t, ['healthy', 'healthy'])
  const { workers } = poolOf(t)
  const [hostile, honest] = [await engine.create(phoneSpec()), await engine.create(phoneSpec())]
  const neighbour = await workers.open(engine, honest, 'another tenant')
  for (const behaviour of ['garbage', 'lying', 'cutOff', 'flooding', 'closed', 'silent'] as const) {
    for (const fake of fakes.slice(0, 1)) fake.behaviour = behaviour
    await assert.rejects(
      workers.open(engine, hostile, 'a tenant'),
      error => error instanceof MachineError && ['STATE', 'MACHINE_FAILED'].includes(error.code),
    )
    await waitFor(() => fakes[0]?.connections === 0)
  }
  assert.ok((fakes[0]?.sentBytes ?? 0) < 64 * 1024 * 1024)
  neighbour.close()
  await workers.open(engine, honest, 'another tenant')
})

test('the operator learns from a worker why a phone has no video', async t => {
  const lines: string[] = []
  const content = Buffer.from('a server')
  const { engine, fakes } = await phoneEngine(t, ['healthy'], {
    video: { server: new ScrcpyServer(content), decoder: 'ffmpeg' },
    tell: line => lines.push(line),
  })
  const [fake = assert.fail()] = fakes
  const phone = new FakeScrcpy(fake, screen)
  phone.startError = 'ERROR: no encoder\n'
  const { workers } = poolOf(t)
  const machine = await workers.open(engine, await engine.create(phoneSpec()), 'a tenant')
  const { session } = new RecordedSession(machine)
  new FakeViewer(session.picture)
  t.after(() => session.close())
  await waitFor(() => lines.length > 0)
  assert.deepEqual(lines, [
    `The phone ${fake.address} is watched by screencap for now: it printed "ERROR: no encoder".`,
  ])
  assert.deepEqual([...phone.sync.files.values()][0], content)
})

test('a worker gets the key for a phone that it connects to, and no other secret of the engine', async t => {
  const { engine, dataDir } = await phoneEngine(t, ['healthy'])
  const reach = await engine.reachFromWorker(await engine.create(phoneSpec()))
  const pem = await readFile(join(dataDir, 'adbkey'), 'utf8')
  const { key, ...rest } = reach.details
  assert.equal(key?.base64, pem.replace(/-----.*?-----|\s/g, ''))
  assert.deepEqual(Object.keys(rest).sort(), ['address', 'env', 'id'])
})
