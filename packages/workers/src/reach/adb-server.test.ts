import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer, text } from 'node:stream/consumers'
import { test } from 'node:test'
import { AdbEngine } from '@sandglass/machines/adb'
import { MachineError } from '@sandglass/machines/contract'
import { phoneSpec, TestAdbServer, testSimulators } from '@sandglass/machines/test-phones'
import { WorkerPool } from '../pool/worker-pool.ts'
import { workersHere } from '../testing/workers-here.ts'

test('a phone behind an adb server is used through a worker, and is unreachable while the server is away', async t => {
  const folder = await mkdtemp(join(tmpdir(), 'sandglass-phones-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const { simulators, dispose } = await testSimulators(1)
  t.after(dispose)
  const server = await TestAdbServer.start(folder)
  t.after(() => server.close())
  const serial = simulators[0]?.address ?? assert.fail()
  await server.connect(serial)
  const devices = [`adb:${serial}@127.0.0.1:${server.port}`]
  const engine = await AdbEngine.open({
    dataDir: join(folder, 'engine'),
    pools: { fakes: { devices, reset: 'none' } },
  })
  t.after(() => engine.close())
  const workers = new WorkerPool({ host: workersHere(async () => assert.fail()) })
  t.after(() => workers.close())
  const handle = await engine.create(phoneSpec())
  const { details } = await engine.reachFromWorker(handle)
  assert.equal(details.key, undefined, 'the server has a key of its own')

  const machine = await workers.open(engine, handle, 'a tenant')
  const process = await machine.exec({ executable: 'sh', args: ['-c', 'cat; exit 3'] })
  process.stdin.end('Grüße 🙂')
  assert.deepEqual([await text(process.stdout), (await process.exited).code], ['Grüße 🙂', 3])
  const content = randomBytes(3_000_000)
  await machine.files.write('/sdcard/big', content)
  assert.ok(content.equals(await buffer(await machine.files.read('/sdcard/big'))))

  machine.close()
  await server.close()
  await assert.rejects(workers.open(engine, handle, 'a tenant'), error => {
    assert.ok(error instanceof MachineError)
    assert.equal(error.code, 'UNREACHABLE')
    assert.match(error.message, /^The adb server 127\.0\.0\.1:\d+ cannot be reached: .*ECONNREFUSED/)
    return true
  })
})
