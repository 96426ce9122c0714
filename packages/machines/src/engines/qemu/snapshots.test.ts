import assert from 'node:assert/strict'
import { text } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import type { MachineHandle } from '../../contract/handle.ts'
import type { Machine } from '../../contract/machine.ts'
import { waitFor } from '../../testing/wait-for.ts'
import type { QemuEngine } from './qemu-engine.ts'
import { type TestVms, testVms, vmSpec } from './test-engine.ts'

describe('saved virtual machines', () => {
  let vms: TestVms
  let engine: QemuEngine
  let handle: MachineHandle
  let machine: Machine

  before(async () => {
    vms = await testVms()
    engine = vms.open()
    handle = await engine.create(vmSpec())
    machine = await engine.open(handle)
  })
  after(async () => {
    machine?.close()
    await engine?.close()
    await vms?.dispose()
  })

  const run = async (where: Machine, script: string, user = 'user') => {
    const process = await where.exec({ executable: 'sh', args: ['-c', script], user })
    return (await text(process.stdout)).trim()
  }
  /** Starts a program that counts in memory, and says how far it is when it is asked. */
  const startCounting = async (where: Machine) => {
    // A file that is written anew is empty for a moment.
    const counted = 'echo $n > /dev/shm/next; mv /dev/shm/next /dev/shm/count'
    const script = `n=0; while :; do n=$((n+1)); ${counted}; sleep 0.2; done`
    const process = await where.exec({ executable: 'sh', args: ['-c', script], detached: true })
    process.release()
    await waitFor(async () => Number(await run(where, 'cat /dev/shm/count')) > 3)
  }
  const count = async (where: Machine) => Number(await run(where, 'cat /dev/shm/count'))
  const whoIs = (where: Machine) =>
    run(
      where,
      'hostname; cat /etc/machine-id; head -c 16 /dev/urandom | od -An -tx1; ip -4 -o addr show eth0',
    )

  it('continues a machine in two others from its memory, which share nothing that identifies them', async () => {
    await startCounting(machine)
    await machine.files.write('kept.txt', Buffer.from('kept'))
    const taken = await engine.snapshots.take(handle, { id: 'with-memory', memory: true })
    assert.ok(taken.pauseMs > 0 && taken.sizeMiB > 0)
    const before = await count(machine)
    const forks = [vmSpec(), vmSpec()]
    const opened: Machine[] = []
    for (const spec of forks)
      opened.push(await engine.open(await engine.snapshots.create(taken.handle, spec)))
    for (const fork of opened) {
      assert.equal(await text(await fork.files.read('kept.txt')), 'kept')
      const first = await count(fork)
      assert.ok(first > 3, 'what it counted before it was saved is there')
      await waitFor(async () => (await count(fork)) > first)
      const askedMs = Date.now()
      const clockMs = Number(await run(fork, 'date +%s')) * 1000
      const isRight = clockMs > askedMs - 10_000 && clockMs < Date.now() + 10_000
      assert.ok(isRight, `the clock says ${clockMs}, and the host ${askedMs} to ${Date.now()}`)
    }
    await waitFor(async () => (await count(machine)) > before)
    const identities = await Promise.all([machine, ...opened].map(whoIs))
    for (const line of [0, 1, 2]) assert.equal(new Set(identities.map(one => one.split('\n')[line])).size, 3)
    for (const fork of opened) {
      fork.close()
      await engine.destroy(fork.handle)
    }
    await engine.snapshots.remove(taken.handle)
    assert.deepEqual(await engine.snapshots.list(), [])
  })

  it('sets a machine back to a snapshot of its disk, which boots', async () => {
    await machine.files.write('state.txt', Buffer.from('old'))
    const taken = await engine.snapshots.take(handle, { id: 'disk-only' })
    await machine.files.write('state.txt', Buffer.from('new'))
    await engine.snapshots.restore(handle, taken.handle)
    machine.close()
    machine = await engine.open(handle)
    assert.equal(await text(await machine.files.read('state.txt')), 'old')
    assert.equal(await run(machine, 'cat /dev/shm/count || echo booted'), 'booted')
    await engine.snapshots.remove(taken.handle)
  })

  it('sets a machine back to a snapshot with memory, whose programs go on', async () => {
    await startCounting(machine)
    const taken = await engine.snapshots.take(handle, { id: 'whole', memory: true })
    await run(machine, 'pkill -f "while :" || kill $(pgrep -f dev/shm); sleep 1; echo 0 > /dev/shm/count')
    await engine.snapshots.restore(handle, taken.handle)
    machine.close()
    machine = await engine.open(handle)
    const first = await count(machine)
    assert.ok(first > 3)
    await waitFor(async () => (await count(machine)) > first)
    await engine.snapshots.remove(taken.handle)
  })

  it('keeps memory while a machine is switched off, and boots it if that is wanted', async () => {
    await machine.files.write('off.txt', Buffer.from('on disk'))
    const before = await count(machine)
    await engine.pause(handle)
    await engine.stop(handle)
    await engine.stop(handle)
    assert.equal((await engine.inspect(handle)).status, 'stopped')
    const later = vms.open()
    await later.wake(handle)
    await later.close()
    machine.close()
    machine = await engine.open(handle)
    assert.ok((await count(machine)) >= before)
    await engine.stop(handle)
    await engine.restart(handle)
    machine.close()
    machine = await engine.open(handle)
    assert.equal(await run(machine, 'cat /dev/shm/count || echo booted'), 'booted')
    assert.equal(await text(await machine.files.read('off.txt')), 'on disk')
  })

  it('refuses what cannot continue from a snapshot', async () => {
    const taken = await engine.snapshots.take(handle, { id: 'strict', memory: true })
    const invalid = { code: 'INVALID' }
    await assert.rejects(engine.snapshots.create(taken.handle, vmSpec({ memoryMiB: 1024 })), invalid)
    await assert.rejects(engine.snapshots.create(taken.handle, vmSpec({ diskMiB: 4096 })), invalid)
    await assert.rejects(engine.snapshots.create({ ...taken.handle, engine: 'local' }, vmSpec()), invalid)
    await engine.snapshots.remove(taken.handle)
    await assert.rejects(engine.snapshots.create(taken.handle, vmSpec()), { code: 'NOT_FOUND' })
    await engine.stop(handle)
    await assert.rejects(engine.snapshots.take(handle, { id: 'off', memory: true }), { code: 'STATE' })
  })
})
