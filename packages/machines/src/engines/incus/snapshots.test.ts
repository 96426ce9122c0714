import assert from 'node:assert/strict'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import type { MachineHandle } from '../../contract/handle.ts'
import type { Machine } from '../../contract/machine.ts'
import type { MachineSpec } from '../../contract/spec.ts'
import { waitFor } from '../../testing/wait-for.ts'
import { testImages } from '../qemu/test-engine.ts'
import { idOf } from './handle.ts'
import { IncusEngine } from './incus-engine.ts'
import { clusterSpec, type TestIncus, testIncus } from './test-engine.ts'
import { killedCaller } from './test-killed-caller.ts'

describe('saved disks of machines in a cluster', { timeout: 600_000 }, () => {
  let tested: TestIncus
  /** Talks to the first member; its machines are on the second. */
  let engine: IncusEngine
  let handle: MachineHandle

  before(async () => {
    tested = await testIncus()
    engine = tested.open()
    handle = await engine.create(onMember(1))
  })
  after(() => tested?.dispose())

  const memberName = (index: number) => tested.cluster.members[index]?.name ?? ''
  const onMember = (index: number, more: Partial<MachineSpec> = {}) =>
    clusterSpec({ place: { member: memberName(index) }, ...more })
  const withMachine = async <T>(of: MachineHandle, work: (machine: Machine) => Promise<T>) => {
    const machine = await engine.open(of)
    try {
      return await work(machine)
    } finally {
      machine.close()
    }
  }
  const asRoot = (of: MachineHandle, script: string) =>
    withMachine(of, async machine => {
      const running = await machine.exec({ executable: 'sh', args: ['-c', script], user: 'root' })
      const [stdout, stderr] = await Promise.all([text(running.stdout), text(running.stderr)])
      assert.equal((await running.exited).code, 0, `${script}: ${stderr}`)
      return stdout.trim()
    })
  const memberOf = async (of: MachineHandle) =>
    (await engine.list()).find(({ id }) => id === idOf(of))?.member
  /** The names of all instances of a machine. */
  const instancesOf = async (of: MachineHandle) => {
    const names = await tested.cluster.members[0]?.request('GET', '/1.0/instances?project=sandglass')
    assert.ok(Array.isArray(names))
    return names.map(url => String(url).replace(/.*\/|\?.*/g, '')).filter(name => name.endsWith(idOf(of)))
  }
  /** Does work as a process that is killed just before a request. */
  const killedBefore = async (last: RegExp, work: (killed: IncusEngine) => Promise<unknown>) => {
    const socket = join(tested.cluster.folder, `${Math.random()}.socket`)
    const caller = await killedCaller(socket, tested.cluster.members[0]?.socket ?? '', last)
    const killed = new IncusEngine({ address: { socket }, imagesDir: testImages, isPreparing: false })
    try {
      await assert.rejects(work(killed))
      assert.ok(caller.isKilled, `nothing was asked like ${last}`)
    } finally {
      await killed.close()
      await caller.close()
    }
  }

  it('are of one moment while programs write, and are the beginning of machines on any member', async () => {
    // The second file is only written after the first, so it is never ahead.
    const script = `cd /srv; for n in $(seq 1 1000000); do
      echo $n > one.new; mv one.new one; echo $n > two.new; mv two.new two; done`
    const source = await engine.open(handle)
    const writer = await source.exec({ executable: 'sh', args: ['-c', script], user: 'root' })
    const count = async () => Number(await asRoot(handle, 'cat /srv/two 2> /dev/null || echo 0'))
    await waitFor(async () => (await count()) > 10)
    const taken = await engine.snapshots.take(handle, { id: 'written' })
    assert.ok(taken.pauseMs > 0 && taken.sizeMiB > 0, JSON.stringify(taken))
    const reached = await count()
    await waitFor(async () => (await count()) > reached)
    const forks = await Promise.all([
      engine.snapshots.create(taken.handle, clusterSpec()),
      engine.snapshots.create(taken.handle, onMember(0, { egress: 'none' })),
    ])
    assert.deepEqual(await Promise.all(forks.map(memberOf)), [memberName(1), memberName(0)])
    for (const fork of forks) {
      const [one = 0, two = 0, name] = (await asRoot(fork, 'cat /srv/one /srv/two; hostname')).split('\n')
      assert.ok(Number(one) - Number(two) <= 1 && Number(one) >= Number(two), `${one} and ${two}`)
      assert.ok(Number(two) > 10)
      assert.equal(name, idOf(fork))
      assert.equal((await engine.inspect(fork)).status, 'running')
    }
    writer.kill()
    source.close()
    const [first, second] = forks
    assert.equal(await asRoot(second, 'ls /sys/class/net'), 'lo')
    await engine.snapshots.remove(taken.handle)
    await engine.restart(first)
    assert.match(await asRoot(first, 'cat /srv/two; stat -c %U /srv/two /home/user'), /^\d+\nroot\nuser$/)
    for (const fork of forks) await engine.destroy(fork)
  })

  it('are taken of paused and stopped machines, which stay so, and outlive them', async () => {
    const machine = await engine.create(onMember(0))
    await asRoot(machine, 'echo kept > /srv/kept')
    await engine.pause(machine)
    const paused = await engine.snapshots.take(machine, { id: 'paused' })
    assert.equal((await engine.inspect(machine)).status, 'paused')
    await engine.stop(machine)
    const stopped = await engine.snapshots.take(machine, { id: 'stopped' })
    assert.equal((await engine.inspect(machine)).status, 'stopped')
    await engine.destroy(machine)
    for (const { handle: snapshot } of [paused, stopped]) {
      const fork = await engine.snapshots.create(snapshot, clusterSpec())
      assert.equal(await asRoot(fork, 'cat /srv/kept'), 'kept')
      await engine.destroy(fork)
    }
    // The machine stays on its own member.
    await engine.snapshots.restore(handle, paused.handle)
    assert.equal(await asRoot(handle, 'cat /srv/kept'), 'kept')
    assert.equal(await memberOf(handle), memberName(1))
    for (const { handle: snapshot } of [paused, stopped]) await engine.snapshots.remove(snapshot)
  })

  it('replace the disk of a machine, or leave it, whenever the process that does it is killed', async () => {
    await asRoot(handle, 'echo saved > /srv/state')
    const { handle: snapshot } = await engine.snapshots.take(handle, { id: 'restored' })
    const id = idOf(handle)
    const steps = [
      { before: /^PUT .*\/state .*"stop"/, state: 'newer' },
      { before: new RegExp(`^POST .*/m-${id} .*"name":"o-`), state: 'newer' },
      { before: new RegExp(`^POST .*/r-${id} .*"name":"m-`), state: 'saved' },
      { before: /^PUT .*\/state .*"start"/, state: 'saved' },
    ]
    for (const { before: request, state } of steps) {
      await asRoot(handle, 'echo newer > /srv/state')
      await killedBefore(request, killed => killed.snapshots.restore(handle, snapshot))
      assert.equal((await engine.list()).filter(listed => listed.id === id).length, 1)
      assert.match((await engine.inspect(handle)).status, /running|stopped/)
      await engine.restart(handle)
      assert.equal(await asRoot(handle, 'cat /srv/state'), state, String(request))
      assert.deepEqual(await instancesOf(handle), [`m-${id}`])
    }
    await asRoot(handle, 'echo newer > /srv/state')
    await killedBefore(steps[2]?.before ?? /./, killed => killed.snapshots.restore(handle, snapshot))
    await engine.snapshots.restore(handle, snapshot)
    assert.equal(await asRoot(handle, 'cat /srv/state; hostname'), `saved\n${id}`)
    assert.deepEqual(await instancesOf(handle), [`m-${id}`])
    await killedBefore(steps[2]?.before ?? /./, killed => killed.snapshots.restore(handle, snapshot))
    await engine.destroy(handle)
    assert.deepEqual(await instancesOf(handle), [])
    assert.equal((await engine.inspect(handle)).status, 'missing')
    handle = await engine.snapshots.create(snapshot, clusterSpec())
    await engine.snapshots.remove(snapshot)
  })

  it('are found until they are removed, even in part, and fit only machines like theirs', async () => {
    const owner = { installation: 'here', node: 'this', number: 7 }
    const { handle: snapshot } = await engine.snapshots.take(handle, { id: 'kept', owner })
    await assert.rejects(engine.snapshots.take(handle, { id: 'kept' }), { code: 'STATE' })
    const [listed, ...others] = await tested.open(2).snapshots.list()
    assert.deepEqual([listed?.id, listed?.handle, listed?.owner, others], ['kept', snapshot, owner, []])
    const invalid = { code: 'INVALID' }
    await assert.rejects(engine.snapshots.create(snapshot, clusterSpec({ diskMiB: 4096 })), invalid)
    await assert.rejects(engine.snapshots.take(handle, { id: 'Kept' }), invalid)
    await assert.rejects(engine.snapshots.take(handle, { id: 'memory', memory: true }), invalid)
    await killedBefore(/^PATCH/, killed => killed.snapshots.take(handle, { id: 'part', owner }))
    const [part] = (await engine.snapshots.list()).filter(({ id }) => id === 'part')
    assert.ok(part)
    assert.deepEqual(part.owner, owner)
    for (const gone of [part.handle, snapshot]) {
      if (gone === snapshot) for (let i = 0; i < 2; i++) await engine.snapshots.remove(gone)
      await assert.rejects(engine.snapshots.create(gone, clusterSpec()), { code: 'NOT_FOUND' })
    }
    await engine.snapshots.remove(part.handle)
    assert.deepEqual(await engine.snapshots.list(), [])
    assert.equal((await engine.inspect(handle)).status, 'running')
  })

  it('cannot be used while their member is gone, which is said without asking it', async () => {
    const { handle: there } = await engine.snapshots.take(handle, { id: 'there' })
    const near = await engine.create(onMember(0))
    const { handle: here } = await engine.snapshots.take(near, { id: 'here' })
    assert.equal(await engine.snapshots.obstacle(there), undefined)
    await tested.cluster.member((await memberOf(handle)) ?? '').kill()
    await waitFor(async () => (await engine.snapshots.obstacle(there)) !== undefined)
    assert.match((await tested.open().snapshots.obstacle(there)) ?? '', /member2 .*gone/)
    // Without a leader, the cluster takes all members for lost until it has another one.
    await waitFor(async () => (await engine.snapshots.obstacle(here)) === undefined)
    const fork = await engine.snapshots.create(here, clusterSpec())
    assert.equal((await engine.inspect(fork)).status, 'running')
  })
})
