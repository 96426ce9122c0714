import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { IncusClient } from '../client/index.ts'
import { instanceIn } from '../handle.ts'
import type { IncusEngine } from '../incus-engine.ts'
import { drainMember, returnMember } from '../setup/index.ts'
import { at } from '../test-cluster/index.ts'
import { clusterSpec, type TestIncus, testIncus } from '../test-engine.ts'

const names = { project: 'sandglass', pool: 'sandglass', network: 'sgnet0' }

describe('a member with prepared instances is drained', { timeout: 600_000 }, () => {
  let tested: TestIncus
  let engines: readonly IncusEngine[]
  let incus: IncusClient

  before(async () => {
    tested = await testIncus({}, { isPreparing: true })
    engines = [tested.open(0), tested.open(1)]
    incus = new IncusClient({ socket: tested.cluster.members[0]?.socket ?? '' })
  })
  after(async () => {
    incus?.close()
    await tested?.dispose()
  })

  const context = () => ({ incus, names, tell: () => {} })
  const runningOn = async (member: string) => {
    const listed = await incus.get('/instances?recursion=1', { project: 'sandglass' })
    assert.ok(Array.isArray(listed))
    return listed
      .filter(one => at(one, 'location') === member && at(one, 'status') === 'Running')
      .map(one => String(at(one, 'name')))
  }
  /** Looks for what is left over and creates elsewhere, as a service goes on doing, until the work is done. */
  const meanwhile = async (elsewhere: string, work: () => Promise<void>) => {
    let isDone = false
    const goOn = async (engine: IncusEngine) => {
      while (!isDone) {
        await engine.destroy(await engine.create(clusterSpec({ place: { member: elsewhere } })))
        await engine.list()
      }
    }
    const going = engines.map(goOn)
    await work().finally(() => {
      isDone = true
    })
    await Promise.all(going)
  }

  const ways: Readonly<Record<string, (name: string) => Promise<unknown>>> = {
    'by our command': name => drainMember(context(), name),
    'by the command of Incus': name =>
      tested.cluster.member(name).run('incus', ['cluster', 'evacuate', name, '--force']),
  }
  for (const [way, drain] of Object.entries(ways))
    for (const [drained, elsewhere] of [
      ['member1', 'member2'],
      ['member3', 'member1'],
    ] as const)
      it(`${way}: ${drained}, and creates still find some`, async () => {
        for (const engine of engines) await engine.prepare(clusterSpec())
        const before = await runningOn(drained)
        assert.ok(before.length >= engines.length, before.join())
        await meanwhile(elsewhere, async () => void (await drain(drained)))
        assert.equal((await tested.cluster.statuses()).get(drained), 'Evacuated')
        assert.deepEqual(await runningOn(drained), [])

        await returnMember(context(), drained)
        for (const engine of engines) {
          await engine.prepare(clusterSpec())
          const handle = await engine.create(clusterSpec())
          assert.ok(instanceIn(handle), 'it was not prepared')
          await engine.destroy(handle)
        }
      })
})
