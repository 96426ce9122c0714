import assert from 'node:assert/strict'
import { text } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import type { Machine } from '../../contract/machine.ts'
import { installGvisor } from './host/gvisor-package.ts'
import { LocalEngine } from './local-engine.ts'
import { type TestEngine, testEngine, testSpec } from './test-engine.ts'
import { leftovers } from './test-leftovers.ts'

async function printed(machine: Machine, script: string): Promise<string> {
  const run = await machine.exec({ executable: 'sh', args: ['-c', script] })
  const [stdout, stderr] = await Promise.all([text(run.stdout), text(run.stderr)])
  return stdout + stderr
}

describe('the walls around a machine', () => {
  let test: TestEngine
  let engine: LocalEngine

  before(async () => {
    await installGvisor()
    test = await testEngine()
    engine = test.open()
  })
  after(async () => {
    await engine?.close()
    await test?.dispose()
  })

  it('are gVisor if its spec says so, also for a service that starts later with another default', async () => {
    const [plain, strong] = [testSpec(), testSpec({ runtime: 'runsc' })]
    const handles = [await engine.create(plain), await engine.create(strong)]
    const later = new LocalEngine({ ...test.options, runtime: 'runsc' })
    try {
      const kernels: string[] = []
      for (const handle of handles) {
        const machine = await later.open(handle)
        kernels.push(await printed(machine, 'test -e /proc/sentry-meminfo && echo gvisor || echo host'))
        machine.close()
      }
      assert.deepEqual(kernels, ['host\n', 'gvisor\n'])
      for (const handle of handles) {
        await later.pause(handle)
        assert.deepEqual(await later.inspect(handle), { status: 'paused' })
        await later.destroy(handle)
      }
      assert.deepEqual(await leftovers(engine.settings), [])
    } finally {
      await later.close()
    }
  })

  it('limit the processes of a gVisor machine without ending it', async () => {
    const machine = await engine.open(await engine.create(testSpec({ runtime: 'runsc', pids: 64 })))
    const fork =
      'import os, time\ncount = 0\ntry:\n  while count < 500:\n    if not os.fork(): time.sleep(60)\n    count += 1\n' +
      'except OSError as error: print(error.errno)\nos.killpg(0, 9)'
    const run = await machine.exec({ executable: 'python3', args: ['-uc', fork] })
    assert.equal(await text(run.stdout), '11\n')
    assert.equal(await printed(machine, 'echo alive'), 'alive\n')
  })

  it('leave no way to root if the spec forbids sudo', async () => {
    const machine = await engine.open(await engine.create(testSpec({ sudo: false })))
    assert.match(await printed(machine, 'sudo -n id -u'), /no new privileges/)
    assert.equal(await printed(machine, 'grep NoNewPrivs /proc/self/status'), 'NoNewPrivs:\t1\n')
    assert.match(await printed(machine, 'su root -c "id -u" </dev/null; id -u'), /^1000$/m)
  })

  it('are refused if there are none of that name', async () => {
    await assert.rejects(engine.create(testSpec({ runtime: 'glass' })), /runtime must be runc or runsc/)
  })
})
