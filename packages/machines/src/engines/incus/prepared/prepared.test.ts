import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { output } from '../../../contract/conformance/running.ts'
import type { MachineHandle } from '../../../contract/handle.ts'
import { waitFor } from '../../../testing/wait-for.ts'
import { instanceIn } from '../handle.ts'
import type { IncusEngine } from '../incus-engine.ts'
import { preparedKey } from '../machine/instance.ts'
import { at } from '../test-cluster/index.ts'
import { clusterSpec, type TestIncus, testIncus } from '../test-engine.ts'

const project = 'project=sandglass'

describe('instances that are prepared for machines', { timeout: 600_000 }, () => {
  let tested: TestIncus
  let engine: IncusEngine

  before(async () => {
    tested = await testIncus({}, { isPreparing: true })
    engine = tested.open()
  })
  after(() => tested?.dispose())

  const request = async (method: string, path: string, body?: object) =>
    await tested.cluster.members[0]?.operate(method, `/1.0/instances${path}`, body && { ...body })
  const listed = async (): Promise<unknown[]> => {
    const found = await tested.cluster.members[0]?.request('GET', `/1.0/instances?${project}&recursion=1`)
    return Array.isArray(found) ? found : assert.fail('there is no list')
  }
  const names = async () => (await listed()).map(one => String(at(one, 'name')))
  const ran = async (handle: MachineHandle, script: string, by = engine) => {
    const machine = await by.open(handle)
    const { stdout } = await output(machine, {
      executable: 'sh',
      args: ['-c', script],
      user: 'root',
    }).finally(() => machine.close())
    return stdout.trim()
  }
  /** The instance that a machine was made of; fails if it was not prepared. */
  const preparedFor = (handle: MachineHandle) => instanceIn(handle) ?? assert.fail('it was not prepared')

  it('become machines that are as if they had been created for them, also after a restart', async () => {
    await engine.prepare(clusterSpec())
    assert.deepEqual(await engine.list(), [], 'they are no machines')
    const env = { GREETING: "it's here" }
    const spec = clusterSpec({ env, screen: { width: 800, height: 600 } })
    const handle = await engine.create(spec)
    const name = preparedFor(handle)
    const shown = 'hostname; cat /etc/hostname; grep CapBnd /proc/1/status /proc/self/status | cut -f 2'
    const asRoot = [spec.id, spec.id, '00000000a00405fb', '00000000a00405fb'].join('\n')
    for (const by of [engine, tested.open(2)]) {
      assert.equal(await ran(handle, shown, by), asRoot)
      assert.equal(
        await ran(handle, 'for p in /proc/[0-9]*; do grep -h CapBnd $p/status; done | sort -u | wc -l'),
        '1',
      )
      const machine = await by.open(handle)
      const { stdout } = await output(machine, { executable: 'sh', args: ['-c', 'echo "$GREETING"'] })
      assert.equal(stdout, `${env.GREETING}\n`)
      assert.equal((await machine.screen.size()).width, 800)
      machine.close()
      assert.deepEqual(
        (await by.list()).map(one => one.handle),
        [handle],
      )
      await by.restart(handle)
    }
    const instance = (await listed()).find(one => at(one, 'name') === name)
    assert.equal(at(instance, 'ephemeral'), false)
    await engine.destroy(handle)
    assert.ok(!(await names()).includes(name))
    assert.equal((await engine.inspect(handle)).status, 'missing')
  })

  it('become one machine each, however many are wanted at once, and an id is taken once', async () => {
    await engine.prepare(clusterSpec())
    const specs = Array.from({ length: 5 }, () => clusterSpec({ cpus: 2 }))
    const handles = await Promise.all(specs.map(spec => engine.create(spec)))
    const hostnames = await Promise.all(handles.map(handle => ran(handle, 'hostname')))
    assert.deepEqual(
      hostnames,
      specs.map(({ id }) => id),
    )
    const [first] = specs
    if (first) await assert.rejects(engine.create(first), { code: 'STATE' })
    for (const handle of handles) await engine.destroy(handle)
  })

  it('keep the disk of a machine that is restored, for other processes too', async () => {
    await engine.prepare(clusterSpec())
    const handle = await engine.create(clusterSpec())
    preparedFor(handle)
    await ran(handle, 'echo saved > /srv/state')
    const { handle: snapshot } = await engine.snapshots.take(handle, { id: 'saved' })
    const other = tested.open(1)
    assert.equal(await ran(handle, 'echo newer > /srv/state; cat /srv/state', other), 'newer')
    await engine.snapshots.restore(handle, snapshot)
    for (const by of [engine, other, tested.open(2)])
      assert.equal(await ran(handle, 'cat /srv/state', by), 'saved')
    assert.equal((await other.list()).length, 1)
    await other.destroy(handle)
    await engine.snapshots.remove(snapshot)
    assert.deepEqual(await engine.list(), [])
  })

  it('are not needed: a create does without one that has ended', async () => {
    await engine.prepare(clusterSpec())
    for (const name of await names())
      await request('PUT', `/${name}/state?${project}`, { action: 'stop', force: true })
    const handle = await engine.create(clusterSpec())
    assert.equal(instanceIn(handle), undefined)
    await engine.destroy(handle)
  })

  it('are removed when their process stops, and by the next one of its node if it was killed', async () => {
    const preparedOn = async (node: string) =>
      (await listed())
        .filter(one => String(at(at(one, 'config'), preparedKey)).includes(`"node":"${node}"`))
        .map(one => String(at(one, 'name')))
    const madeBy = async (by: IncusEngine, node: string) => {
      const owner = { installation: 'here', node, number: 1 }
      await by.destroy(await by.create(clusterSpec({ owner })))
      await by.prepare(clusterSpec())
      return await preparedOn(node)
    }
    const killed = await madeBy(tested.open(), 'this')
    assert.ok(killed.length > 0)
    const [stopping, next] = [tested.open(), tested.open()]
    const elsewhere = await madeBy(stopping, 'other')
    await madeBy(next, 'this')
    await next.list()
    await waitFor(async () => {
      const left = await names()
      return killed.every(name => !left.includes(name))
    })
    const left = await names()
    assert.ok(elsewhere.length > 0 && elsewhere.every(name => left.includes(name)))
    await Promise.all([stopping.close(), next.close()])
    assert.ok((await names()).every(name => !elsewhere.includes(name)))
  })

  it('end by themselves, if nobody does anything with them', async () => {
    let name = ''
    // One of an engine that was closed may be being deleted.
    await waitFor(async () => {
      const waiting = (await names()).find(each => each.startsWith('p-'))
      assert.ok(waiting, 'an engine of this test has one')
      name = waiting
      try {
        await request('PATCH', `/${name}?${project}`, { config: { 'environment.SANDGLASS_WAIT': '1' } })
        await request('PUT', `/${name}/state?${project}`, { action: 'restart', force: true })
        return true
      } catch {
        return false
      }
    })
    await waitFor(async () => !(await names()).includes(name))
  })
})
