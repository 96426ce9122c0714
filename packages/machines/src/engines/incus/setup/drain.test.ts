import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { MachineHandle } from '../../../contract/handle.ts'
import { IncusClient } from '../client/index.ts'
import type { IncusEngine } from '../incus-engine.ts'
import { at } from '../test-cluster/index.ts'
import { clusterSpec, type TestIncus, testIncus } from '../test-engine.ts'
import { drainMember, returnMember } from './leave-cluster.ts'

const names = { project: 'sandglass', pool: 'sandglass', network: 'sgnet0' }

describe('a member is drained', { timeout: 600_000 }, () => {
  let tested: TestIncus
  let engine: IncusEngine
  let incus: IncusClient

  before(async () => {
    tested = await testIncus()
    engine = tested.open(0)
    incus = new IncusClient({ socket: tested.cluster.members[0]?.socket ?? '' })
  })
  after(async () => {
    incus?.close()
    await tested?.dispose()
  })

  const instances = async () => {
    const listed = await incus.get('/instances?recursion=1', { project: 'sandglass' })
    assert.ok(Array.isArray(listed))
    return listed.map(one => ({
      name: String(at(one, 'name')),
      on: at(one, 'location'),
      status: at(one, 'status'),
    }))
  }
  const statusOf = async (handle: MachineHandle) => (await engine.inspect(handle)).status

  it('while machines on it are created and destroyed', async () => {
    const spec = () => clusterSpec({ place: { member: 'member2' } })
    const [kept, ...leaving] = await Promise.all([1, 2, 3].map(() => engine.create(spec())))
    assert.ok(kept)
    const destroying = Promise.all(leaving.map(handle => engine.destroy(handle)))
    const creating = Promise.all([1, 2, 3].map(() => engine.create(spec())))
    const draining = drainMember({ incus, names, tell: () => {} }, 'member2')
    const [made] = await Promise.all([creating, destroying, draining])

    assert.equal((await tested.cluster.statuses()).get('member2'), 'Evacuated')
    assert.ok(!(await instances()).some(({ on, status }) => on === 'member2' && status === 'Running'))
    await returnMember({ incus, names, tell: () => {} }, 'member2')
    for (const handle of [kept, ...made]) {
      assert.notEqual(await statusOf(handle), 'gone')
      await engine.destroy(handle)
    }
    assert.deepEqual(await engine.list(), [])
    assert.deepEqual(await instances(), [])
  })
})
