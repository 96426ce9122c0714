import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Sandbox, SandboxError } from 'e2b'
import { recordCalls } from '../../../testing/e2b-calls/record-calls.ts'
import { e2bOptions } from '../../../testing/e2b-options.ts'
import { startMachineService } from '../../../testing/test-machines.ts'

recordCalls(import.meta.filename)
const { service } = await startMachineService()
const options = e2bOptions(service)

test('the methods that take the id of a sandbox do what those of a sandbox do', async () => {
  const { sandboxId } = await Sandbox.create('small', { ...options, timeoutMs: 600_000 })
  const info = await Sandbox.getFullInfo(sandboxId, options)
  assert.equal(info.sandboxId, sandboxId)
  await Sandbox.setTimeout(sandboxId, 3_000_000, options)
  const { endAt } = await Sandbox.getInfo(sandboxId, options)
  assert.ok(endAt.getTime() > info.endAt.getTime())
  assert.equal((await Sandbox.getMetrics(sandboxId, options)).length, 1)

  const snapshot = await Sandbox.createSnapshot(sandboxId, { ...options, name: 'by-id' })
  assert.deepEqual(await Sandbox.listSnapshots({ ...options, sandboxId }).nextItems(), [snapshot])
  assert.equal(await Sandbox.deleteSnapshot(snapshot.snapshotId, options), true)
  const [fork] = await Sandbox.fork(sandboxId, options)
  assert.ok(fork instanceof Sandbox, String(fork))
  await fork.kill()

  assert.equal(await Sandbox.pause(sandboxId, options), true)
  const awake = await Sandbox.connect(sandboxId, options)
  assert.equal((await awake.getInfo()).state, 'running')
  assert.equal(await Sandbox.betaPause(sandboxId, options), true)
  await awake.connect(options)
  assert.equal(await awake.betaPause({ keepMemory: false }), true)
  await awake.connect(options)
  assert.equal((await awake.getInfo()).state, 'running')

  const network = { denyOut: ['0.0.0.0/0'] }
  await assert.rejects(Sandbox.updateNetwork(sandboxId, network, options), SandboxError)
  assert.equal(await Sandbox.kill(sandboxId, options), true)
})
