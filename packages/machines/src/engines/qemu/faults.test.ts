import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { output } from '../../contract/conformance/running.ts'
import type { MachineHandle } from '../../contract/handle.ts'
import { waitFor } from '../../testing/wait-for.ts'
import { runCommand } from '../local/host/run-command.ts'
import { type MachinePaths, machinePaths } from '../local/machine-paths.ts'
import { cgroupLayout, groupOf, processesOf } from '../local/oci/cgroups.ts'
import { findInit } from '../local/oci/init-process.ts'
import { leaveMounts } from '../local/rootfs/leave-mounts.ts'
import { leftovers } from '../local/test-leftovers.ts'
import { idOf } from './handle.ts'
import type { QemuEngine } from './qemu-engine.ts'
import { type TestVms, testVms, vmSpec } from './test-engine.ts'
import { pretendQemu } from './test-images.ts'

/** Creates a machine and prints how that failed. */
const service = `
const { QemuEngine } = await import(${JSON.stringify(join(import.meta.dirname, 'qemu-engine.ts'))})
const engine = new QemuEngine(JSON.parse(process.argv[1]))
await engine.create(JSON.parse(process.argv[2])).catch(error => console.log(error.code, error.message))
await engine.close()
`

describe('a virtual machine', () => {
  let test: TestVms
  let engine: QemuEngine
  let handle: MachineHandle

  before(async () => {
    test = await testVms()
    engine = test.open()
  })
  after(async () => {
    await engine?.close()
    await test?.dispose()
  })

  const pathsOf = (id: string) => machinePaths(engine.settings, id)
  const tasks = async () => await processesOf(cgroupLayout(), groupOf(engine.settings.instance, idOf(handle)))
  const qemu = async () => {
    for (const pid of await tasks())
      if ((await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '')).startsWith('qemu')) return pid
    return assert.fail('there is no QEMU')
  }
  const sh = async (script: string) => {
    const machine = await engine.open(handle)
    const { stdout } = await output(machine, { executable: 'sh', args: ['-c', script] })
    machine.close()
    return stdout
  }

  const moments: Readonly<Record<string, (paths: MachinePaths) => string>> = {
    'its id is claimed': ({ home }) => home,
    'its disk is made': ({ disk }) => disk,
    'its container is described': ({ bundle }) => join(bundle, 'config.json'),
    'its container runs': ({ pidFile }) => pidFile,
    'QEMU takes commands': ({ sockets }) => join(sockets, 'qmp'),
    'its agent answers': ({ sockets }) => join(sockets, 'agent'),
  }
  it('whose creation is aborted leaves nothing behind, at any moment', async t => {
    for (const [moment, pathOf] of Object.entries(moments))
      await t.test(`when ${moment}`, async () => {
        // A host that is busy may be done before the test has seen the moment. It tries again then.
        while (!(await isAborted(pathOf)));
        assert.deepEqual(await leftovers(engine.settings), [])
      })
  })

  const isAborted = async (pathOf: (paths: MachinePaths) => string) => {
    const spec = vmSpec()
    const abort = new AbortController()
    let made: MachineHandle | undefined
    const making = engine.create(spec, { signal: abort.signal }).then(
      created => {
        made = created
      },
      (error: Error) => assert.equal(error.name, 'AbortError'),
    )
    await waitFor(() => made !== undefined || existsSync(pathOf(pathsOf(spec.id))))
    abort.abort()
    await making
    if (made) await engine.destroy(made)
    return made === undefined
  }

  it('cannot be created on a host without taps, which says so, and nothing is left', async () => {
    const hidden = `mount -t tmpfs none /dev/net && exec "$@"`
    const node = [process.execPath, '--input-type=module', '-e', service]
    const said = await runCommand('unshare', [
      ...['--mount', ...leaveMounts, 'sh', '-c', hidden, 'sh', ...node],
      ...[JSON.stringify(test.options), JSON.stringify(vmSpec())],
    ])
    assert.equal(said, 'STATE Virtual machines need /dev/net/tun, which this host does not have.\n')
    assert.deepEqual(await leftovers(engine.settings), [])
  })

  it('whose QEMU is killed is reported as dead, and starts again with what it had written', async () => {
    handle = await engine.create(vmSpec())
    const machine = await engine.open(handle)
    const sync = 'import os; f = open("kept", "w"); f.write("kept"); f.flush(); os.fsync(f.fileno())'
    assert.equal((await output(machine, { executable: 'python3', args: ['-c', sync] })).code, 0)
    process.kill(await qemu(), 'SIGKILL')
    assert.deepEqual(await machine.died, { reason: 'the first process of the machine ended', orderly: false })
    assert.deepEqual(await engine.inspect(handle), { status: 'stopped', reason: 'QEMU has ended' })
    await engine.restart(handle)
    assert.equal(await sh('cat kept'), 'kept')
  })

  it('goes on when QEMU is upgraded, and keeps its devices when it is restarted', async () => {
    assert.ok(await engine.memory.has(vmSpec()))
    // This version has devices that the one that is really installed does not know.
    const restore = await pretendQemu('99.1.0 (a newer one)')
    try {
      await waitFor(async () => !(await engine.memory.has(vmSpec())))
      assert.equal(await sh('cat kept'), 'kept')
      await assert.rejects(engine.create(vmSpec()), /unsupported machine type/)
      await engine.restart(handle)
      assert.equal(await sh('cat kept'), 'kept')
    } finally {
      await restore()
    }
  })

  it('whose relay is killed is reported as dead, and QEMU ends with it', async () => {
    const machine = await engine.open(handle)
    const { pid } = (await findInit(pathsOf(idOf(handle)))) ?? assert.fail('there is no relay')
    process.kill(pid, 'SIGKILL')
    assert.equal((await machine.died).orderly, false)
    assert.equal((await engine.inspect(handle)).status, 'stopped')
    await waitFor(async () => (await tasks()).length === 0)
    await engine.destroy(handle)
    assert.deepEqual(await leftovers(engine.settings), [])
  })
})
