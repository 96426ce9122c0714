import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { MachineHandle } from '../../contract/handle.ts'
import type { Machine } from '../../contract/machine.ts'
import type { MachineProcess } from '../../contract/process.ts'
import { waitFor } from '../../testing/wait-for.ts'
import type { IncusEngine } from './incus-engine.ts'
import { MuxGuest } from './machine/mux-guest.ts'
import { clusterSpec, type TestIncus, testIncus } from './test-engine.ts'

describe('what the programs of a machine in a cluster do', () => {
  let tested: TestIncus
  let engine: IncusEngine
  let handle: MachineHandle
  let machine: Machine

  const work = (): Promise<MachineProcess> =>
    machine.exec({ executable: 'sh', args: ['-c', 'while :; do :; done'] })
  const end = async (program: MachineProcess) => {
    program.kill()
    await program.exited
  }

  before(async () => {
    tested = await testIncus({ members: 1 })
    engine = tested.open()
    handle = await engine.create(clusterSpec())
    machine = await engine.open(handle)
  })
  after(() => tested?.dispose())

  it('is told by the machine itself', async () => {
    const reach = await engine.reachFromWorker(handle)
    const guest = new MuxGuest({ dial: () => reach.dial(), isAwake: async () => true })
    try {
      const first = (await guest.activity()) ?? assert.fail('the agent does not say')
      const program = await work()
      await waitFor(async () => {
        const now = await guest.activity()
        if (!now || now.cpuMs < first.cpuMs + 100) return false
        return now.processes.some(process => !first.processes.includes(process))
      })
      await end(program)
    } finally {
      guest.close()
      reach.close()
    }
  })

  it('prolongs an action that has started a program which shows nothing yet', async () => {
    await waitFor(async () => {
      machine.screen.begin?.()
      const program = await work()
      const rest = await machine.screen.atRest?.({ quietMs: 100, maxMs: 1000 })
      await end(program)
      return rest === 'timeout'
    })
  })

  it('is not believed by the engine, which may use it for more than to settle', () => {
    assert.equal('activity' in engine, false)
  })
})
