import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import type { Machine } from '../../contract/machine.ts'
import { idOf } from './handle.ts'
import type { LocalEngine } from './local-engine.ts'
import { cgroupLayout, processesOf } from './oci/cgroups.ts'
import { Containers } from './oci/containers.ts'
import { type TestEngine, testEngine, testSpec } from './test-engine.ts'

const shell = (script: string) => ({ executable: 'sh', args: ['-c', script] })

describe('the limits of a machine', () => {
  let test: TestEngine
  let engine: LocalEngine
  let neighbour: Machine

  before(async () => {
    test = await testEngine()
    engine = test.open()
    neighbour = await engine.open(await engine.create(testSpec()))
  })
  after(async () => {
    await engine?.close()
    await test?.dispose()
  })

  const hungry = async (more: Parameters<typeof testSpec>[0]) =>
    await engine.open(await engine.create(testSpec(more)))

  /** Runs a short program in another machine, which fails if that machine is starved. */
  const neighbourWorks = async () => {
    for (let i = 0; i < 20; i++)
      assert.deepEqual(await (await neighbour.exec({ executable: 'true' })).exited, { code: 0 })
  }

  it('contain a fork bomb', async () => {
    const machine = await hungry({ pids: 96, cpus: 0.5 })
    const script = 'import os\nwhile 1:\n  try: os.fork()\n  except OSError: pass'
    const bomb = await machine.exec({ executable: 'python3', args: ['-c', script] })
    const group = new Containers(engine.settings).groupOf(idOf(machine.handle))
    const count = async () => (await processesOf(cgroupLayout(), group)).length
    while ((await count()) <= 48) await setTimeout(10)
    await neighbourWorks()
    assert.ok((await count()) <= 96)
    bomb.kill()
    await engine.destroy(machine.handle)
  })

  it('contain a memory hog, which is killed while its machine survives', async () => {
    const machine = await hungry({ memoryMiB: 256 })
    const hog = await machine.exec({
      executable: 'python3',
      args: ['-c', 'b=[]\nwhile 1: b.append(bytearray(1<<24))'],
    })
    const [exit] = await Promise.all([hog.exited, neighbourWorks()])
    assert.deepEqual(exit, { code: 137, signal: 9 })
    assert.equal((await (await machine.exec({ executable: 'true' })).exited).code, 0)
    await engine.destroy(machine.handle)
  })

  it('contain a program that fills the disk, and free the space afterwards', async () => {
    const machine = await hungry({ diskMiB: 128 })
    const filler = await machine.exec(
      shell('dd if=/dev/zero of=/home/user/full bs=1M; echo; df --output=avail / | tail -1'),
    )
    const [said] = await Promise.all([text(filler.stdout), neighbourWorks(), filler.exited])
    assert.ok(Number(said) < 1024, `${said.trim()} KiB left`)
    await assert.rejects(machine.files.write('more', Buffer.alloc(1 << 20)), { code: 'NO_SPACE' })
    await assert.rejects(machine.files.copy('full', 'more'), { code: 'NO_SPACE' })
    await machine.files.remove('full')
    // The space of a failed write is free as soon as the failure is reported, whether the agent or the host wrote it.
    for (const size of [0, 200 << 20])
      for (let round = 0; round < 3; round++) {
        const much = machine.files.write('much', Readable.from(zeros(200)), { size })
        await assert.rejects(much, { code: 'NO_SPACE' })
        await machine.files.write('fits', Readable.from(zeros(80)), { size })
        await machine.files.remove('fits')
      }
    await engine.destroy(machine.handle)
  })

  it('limit the processor', async () => {
    const machine = await hungry({ cpus: 0.25 })
    const spin =
      'import time\ne=time.monotonic()+1.2\nc=time.process_time()\nwhile time.monotonic()<e: pass\nprint(time.process_time()-c)'
    const used = Number(
      await text((await machine.exec({ executable: 'python3', args: ['-c', spin] })).stdout),
    )
    assert.ok(used < 0.6, `${used} s of processor in 1.2 s`)
    await engine.destroy(machine.handle)
  })
})

function* zeros(megabytes: number): Generator<Buffer> {
  for (let i = 0; i < megabytes; i++) yield Buffer.alloc(1 << 20)
}
