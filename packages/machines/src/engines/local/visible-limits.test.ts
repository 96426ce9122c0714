import assert from 'node:assert/strict'
import { availableParallelism } from 'node:os'
import { text } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import type { MachineHandle } from '../../contract/handle.ts'
import type { Machine } from '../../contract/machine.ts'
import { waitFor } from '../../testing/wait-for.ts'
import { installGvisor } from './host/gvisor-package.ts'
import type { LocalEngine } from './local-engine.ts'
import { type TestEngine, testEngine, testSpec } from './test-engine.ts'

/** Uses 200 MiB until it is told that this is enough. */
const hog = `import os, time
kept = bytearray(b'x') * (200 << 20)
while not os.path.exists('/tmp/enough'): time.sleep(0.1)`

describe('the limits that programs in a machine see', () => {
  let test: TestEngine
  let engine: LocalEngine
  let handle: MachineHandle
  let machine: Machine

  before(async () => {
    await installGvisor()
    test = await testEngine()
    engine = test.open()
    handle = await engine.create(testSpec())
    machine = await engine.open(handle)
  })
  after(async () => {
    await engine?.close()
    await test?.dispose()
  })

  const printed = async (script: string, of = machine) => {
    const run = await of.exec({ executable: 'sh', args: ['-c', script] })
    return (await text(run.stdout)).trim()
  }
  const processors = (of = machine) =>
    printed(
      `nproc; python3 -c 'import os; print(os.cpu_count(), len(os.sched_getaffinity(0)))'
       grep -c ^processor /proc/cpuinfo; grep -c '^cpu[0-9]' /proc/stat`,
      of,
    )
  const kib = async (name: string, of = machine) =>
    Number(/(\d+) kB/.exec(await printed(`grep ^${name}: /proc/meminfo`, of))?.[1])

  it('are its own as soon as it has been created', async () => {
    assert.equal(await processors(), '1\n1 1\n1\n1')
    assert.equal(await kib('MemTotal'), 512 * 1024)
    assert.equal(await kib('SwapTotal'), 0)
    assert.ok((await kib('MemFree')) < 512 * 1024, 'the desktop uses some of it')
  })

  it('are one processor for a part of one, and at most those of the host', async () => {
    for (const [cpus, count] of [
      [0.5, 1],
      [64, availableParallelism()],
    ] as const) {
      const other = await engine.create(testSpec({ cpus }))
      assert.equal(
        await processors(await engine.open(other)),
        `${count}\n${count} ${count}\n${count}\n${count}`,
      )
      await engine.destroy(other)
    }
  })

  it('follow what its programs use, also after a restart of the service', async () => {
    const available = await kib('MemAvailable')
    await machine.exec({ executable: 'python3', args: ['-c', hog] })
    await waitFor(async () => (await kib('MemAvailable')) < available - 190 * 1024)
    machine.close()
    await engine.close()
    engine = test.open()
    machine = await engine.open(handle)
    await printed('touch /tmp/enough')
    await waitFor(async () => (await kib('MemAvailable')) > available - 50 * 1024)
  })

  it('cannot be changed by its root user, and stay those of a machine that is restarted', async () => {
    for (const file of ['/proc/meminfo', '/sys/devices/system/cpu/online']) {
      const script = `sudo sh -c 'echo x > ${file}' 2>/dev/null || echo refused; sudo umount ${file} 2>/dev/null || echo refused`
      assert.equal(await printed(script), 'refused\nrefused')
    }
    await engine.restart(handle)
    machine = await engine.open(handle)
    assert.equal(await processors(), '1\n1 1\n1\n1')
    assert.equal(await kib('MemTotal'), 512 * 1024)
  })

  it('are its own in gVisor too', async () => {
    const strong = await engine.open(await engine.create(testSpec({ runtime: 'runsc' })))
    assert.equal(await printed('nproc; python3 -c "import os; print(os.cpu_count())"', strong), '1\n1')
    assert.equal(await kib('MemTotal', strong), 512 * 1024)
  })
})
