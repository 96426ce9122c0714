import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer, text } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import { performOnPhone } from '../../actions/index.ts'
import { fails } from '../../contract/conformance/running.ts'
import { waitFor } from '../../testing/wait-for.ts'
import { AdbEngine } from './adb-engine.ts'
import { TestAdbServer } from './test-adb-server.ts'
import { type TestSimulators, testSimulators } from './test-simulators.ts'

let simulators: TestSimulators
let server: TestAdbServer
let folder: string
let serial: string
const engines: AdbEngine[] = []

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sandglass-phones-'))
  simulators = await testSimulators(1)
  server = await TestAdbServer.start(folder)
  serial = simulators.simulators[0]?.address ?? ''
  await server.connect(serial)
})
after(async () => {
  for (const engine of engines) await engine.close()
  await server?.close()
  await simulators?.dispose()
  if (folder) await rm(folder, { recursive: true, force: true })
})

async function engineOf(address: string): Promise<AdbEngine> {
  const dataDir = await mkdtemp(join(folder, 'engine-'))
  const pools = { rack: { devices: [address], reset: 'none' } } as const
  const engine = await AdbEngine.open({ dataDir, pools, recheckMs: 600_000 })
  engines.push(engine)
  return engine
}

const spec = () => ({
  id: `t-${randomBytes(6).toString('hex')}`,
  image: 'rack',
  cpus: 1,
  memoryMiB: 512,
  pids: 256,
  diskMiB: 512,
})
const here = () => `adb:${serial}@127.0.0.1:${server.port}`

test('a phone behind an adb server can be claimed, touched, viewed and used', async () => {
  const engine = await engineOf(here())
  const handle = await engine.create(spec())
  await assert.rejects(engine.create(spec()), /1 of 1 are in use/)
  const machine = await engine.open(handle)
  assert.deepEqual(machine.screenSize, { width: 720, height: 1280 })

  const process = await machine.exec({ executable: 'sh', args: ['-c', 'cat; echo done >&2; exit 3'] })
  process.stdin.end('Grüße 🙂')
  const output = Promise.all([text(process.stdout), text(process.stderr)])
  assert.deepEqual([...(await output), (await process.exited).code], ['Grüße 🙂', 'done\n', 3])

  const content = randomBytes(3_000_000)
  await machine.files.write('/sdcard/big', content)
  assert.ok(content.equals(await buffer(await machine.files.read('/sdcard/big'))))

  const { phone = assert.fail(), screen } = machine
  await performOnPhone({ type: 'os:startAppByName', name: 'calculator' }, phone, screen)
  const sevens = async () => ((await screen.uiTree?.()) ?? []).filter(element => element.text === '7')
  await waitFor(async () => (await sevens()).length === 1)
  const [seven = assert.fail()] = await sevens()
  await performOnPhone({ type: 'os:clickElement', element: seven }, phone, screen)
  const { frame } = await screen.look()
  assert.deepEqual([frame.width, frame.height], [720, 1280])
  // The key and the display.
  await waitFor(async () => (await sevens()).length === 2)

  await engine.destroy(handle)
  assert.match((await machine.died).reason, /given back/)
  assert.equal((await engine.capacity(0)).fits, 1)
})

test('a phone that its adb server loses is gone, and can be opened again when it is back', async () => {
  for (let isDone = false; !isDone; ) {
    const another = await TestAdbServer.start(await mkdtemp(join(folder, 'home-')))
    await another.connect(serial)
    const engine = await engineOf(`adb:${serial}@127.0.0.1:${another.port}`)
    const handle = await engine.create(spec())
    const machine = await engine.open(handle)
    await another.run('disconnect', serial).catch(() => {})
    const { reason } = await machine.died
    isDone = !(await another.hasCrashed())
    if (isDone) {
      assert.match(reason, /^The device adb:.* is gone: /)
      assert.equal((await engine.inspect(handle)).status, 'stopped')
      await another.connect(serial)
      const again = await engine.open(handle)
      assert.ok(((await again.phone?.apps()) ?? []).length > 0)
      again.close()
    }
    await engine.destroy(handle)
    await another.close()
  }
})

test('an unknown phone and an unreachable adb server lead to quarantine with the reason', async () => {
  const unknown = await engineOf(`adb:nobody@127.0.0.1:${server.port}`)
  await assert.rejects(unknown.create(spec()), error => {
    assert.ok(fails('NO_CAPACITY')(error) && error instanceof Error)
    assert.match(error.message, /The adb server cannot reach nobody: device 'nobody' not found/)
    return true
  })
  const nowhere = await engineOf('adb:nobody@127.0.0.1:1')
  await assert.rejects(nowhere.create(spec()), /The adb server 127\.0\.0\.1:1 cannot be reached/)
})

test('a phone whose adb server is away is unreachable, since nothing is known of it', async () => {
  const another = await TestAdbServer.start(await mkdtemp(join(folder, 'home-')))
  await another.connect(serial)
  const engine = await engineOf(`adb:${serial}@127.0.0.1:${another.port}`)
  const handle = await engine.create(spec())
  await another.close()
  const { status, reason } = await engine.inspect(handle)
  assert.equal(status, 'unreachable')
  assert.match(reason ?? '', /The adb server .* cannot be reached/)
  await assert.rejects(engine.open(handle), fails('UNREACHABLE'))
  await engine.destroy(handle)
})
