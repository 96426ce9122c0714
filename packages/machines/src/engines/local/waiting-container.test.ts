import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import type { Machine } from '../../contract/machine.ts'
import type { MachineSpec } from '../../contract/spec.ts'
import { waitFor } from '../../testing/wait-for.ts'
import { idOf } from './handle.ts'
import { installGvisor } from './host/gvisor-package.ts'
import type { LocalEngine } from './local-engine.ts'
import { preparedPaths } from './machine-paths.ts'
import { cgroupLayout } from './oci/cgroups.ts'
import { Containers } from './oci/containers.ts'
import { findInit } from './oci/init-process.ts'
import { readRecord } from './records.ts'
import { preparedNames } from './rootfs/prepared-roots.ts'
import { type TestEngine, testEngine, testSpec } from './test-engine.ts'
import { leftovers } from './test-leftovers.ts'

const diskMiB = 128
const MiB = 1024 * 1024

describe('a container that waits for a machine', () => {
  let test: TestEngine
  let engine: LocalEngine
  before(async () => {
    await installGvisor()
    test = await testEngine()
    engine = test.open()
    // The first machine says what the next ones are like.
    await engine.destroy(await engine.create(testSpec({ diskMiB })))
  })
  after(async () => {
    await engine?.close()
    await test?.dispose()
  })

  /** The names of the containers that wait. */
  const waiting = async () => {
    await engine.prepare('minimal', diskMiB)
    const names = await preparedNames(engine.settings)
    const running = await Promise.all(names.map(name => findInit(preparedPaths(engine.settings, name))))
    return names.filter((_, index) => running[index])
  }

  const containerOf = async (machine: Machine) =>
    (await readRecord(engine.settings, idOf(machine.handle)))?.container

  /** What the kernel of the host enforces. */
  const memoryLimit = async (machine: Machine) => {
    const { kind, roots } = cgroupLayout()
    const group = new Containers(engine.settings).groupOf(idOf(machine.handle))
    const file = kind === 'v2' ? 'memory.max' : 'memory.limit_in_bytes'
    return Number(await readFile(join(roots.memory ?? '', group, file), 'utf8'))
  }

  async function withMachine(
    more: Partial<MachineSpec>,
    work: (machine: Machine, container: string | undefined) => Promise<void>,
  ): Promise<void> {
    const machine = await engine.open(await engine.create(testSpec({ diskMiB, ...more })))
    try {
      await work(machine, await containerOf(machine))
    } finally {
      machine.close()
      await engine.destroy(machine.handle)
    }
  }

  const run = async (machine: Machine, script: string) => {
    const program = await machine.exec({ executable: 'sh', args: ['-c', script] })
    const [stdout] = await Promise.all([text(program.stdout), program.exited])
    return stdout.trim()
  }

  it('becomes the machine that was asked for, with its name, screen and environment', async () => {
    const before = await waiting()
    const screen = { width: 1024, height: 600 }
    await withMachine({ screen, env: { ORDER: 'three words here' } }, async (machine, container) => {
      assert.ok(container && before.includes(container))
      const id = idOf(machine.handle)
      assert.equal(
        await run(machine, 'hostname; cat /etc/hostname; echo $ORDER'),
        `${id}\n${id}\nthree words here`,
      )
      assert.match(await run(machine, 'xdpyinfo | grep dimensions'), /1024x600/)
      assert.deepEqual(machine.screenSize, screen)
    })
  })

  it('is paused, limited, restarted and removed as any other', async () => {
    await waiting()
    await withMachine({}, async (machine, container) => {
      assert.ok(container)
      await engine.pause(machine.handle)
      assert.equal((await engine.inspect(machine.handle)).status, 'paused')
      await engine.resume(machine.handle)
      assert.equal(await memoryLimit(machine), 512 * MiB)
      await run(machine, 'echo kept > /home/user/file')
      await engine.restart(machine.handle)
      const again = await engine.open(machine.handle)
      assert.equal(await containerOf(again), container)
      assert.equal(await run(again, 'cat /home/user/file'), 'kept')
      assert.equal(await memoryLimit(again), 512 * MiB)
      again.close()
    })
    assert.deepEqual(await leftovers(engine.settings), [])
  })

  it('gives nobody inside a right that others do not have', async () => {
    // Of process 1 and of the X server, which the desktop's user has started.
    const rights = `
      display=$(basename $(dirname $(grep -lx Xtigervnc /proc/[0-9]*/comm)))
      for pid in 1 $display self; do
        grep -E '^(Uid|Gid|Groups|Cap|NoNewPrivs|Seccomp:)' /proc/$pid/status
        cat /proc/$pid/oom_score_adj /proc/$pid/limits
        ls /proc/$pid/ns
      done
      cut -d ' ' -f 2- /proc/self/mounts | grep -v sandglass | sort`
    const found: string[] = []
    const containers: (string | undefined)[] = []
    for (const memoryMiB of [513, 512]) {
      await waiting()
      await withMachine({ memoryMiB }, async (machine, container) => {
        found.push(await run(machine, rights))
        containers.push(container)
      })
      if (memoryMiB === 513) await withMachine({}, async () => {})
    }
    assert.equal(containers[0], undefined, 'a machine of another kind has a container of its own')
    assert.ok(containers[1])
    assert.match(found[0] ?? '', /Uid:\t1000\t1000/)
    assert.equal(found[0], found[1])
  })

  it('is not used by a machine that must be started differently', async () => {
    const different: Partial<MachineSpec>[] = [{ sudo: false }, { pids: 300 }, { cpus: 2 }]
    for (const more of different) {
      await withMachine({}, async () => {})
      await waiting()
      await withMachine(more, async (_, container) => assert.equal(container, undefined))
    }
  })

  it('is ended by a machine in gVisor, which takes its root', async () => {
    await withMachine({}, async () => {})
    const before = await waiting()
    await withMachine({ runtime: 'runsc' }, async (machine, container) => {
      assert.equal(container, undefined)
      assert.equal(await run(machine, 'echo works'), 'works')
      const [taken = ''] = before.filter(name => !existsSync(preparedPaths(engine.settings, name).run))
      assert.notEqual(taken, '')
      assert.ok(!(await readdir(join(engine.settings.runDir, 'runtime'))).includes(taken))
    })
    assert.deepEqual(await leftovers(engine.settings), [])
  })

  it('is done without if it was killed', async () => {
    await withMachine({}, async () => {})
    for (const name of await waiting()) {
      const paths = preparedPaths(engine.settings, name)
      process.kill((await findInit(paths))?.pid ?? assert.fail('nothing waits'), 'SIGKILL')
      await waitFor(async () => (await findInit(paths)) === undefined)
    }
    await withMachine({}, async (machine, container) => {
      assert.equal(container, undefined)
      assert.equal(await run(machine, 'echo works'), 'works')
    })
  })

  it('leaves nothing when the engine closes', async () => {
    assert.ok((await waiting()).length > 0)
    await engine.close()
    assert.deepEqual(await leftovers(engine.settings), [])
    assert.deepEqual(await readdir(join(engine.settings.runDir, 'runtime')), [])
    engine = test.open()
  })
})
