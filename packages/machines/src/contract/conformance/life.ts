import assert from 'node:assert/strict'
import { text } from 'node:stream/consumers'
import { it } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { waitFor } from '../../testing/wait-for.ts'
import type { Engine } from '../engine.ts'
import type { MachineHandle } from '../handle.ts'
import { commandLines, fails, output } from './running.ts'
import type { Inside, Subject } from './subject.ts'

interface Context extends Inside {
  readonly subject: Subject
  readonly engine: Engine
  readonly handle: MachineHandle
}

/** Tests how machines are made, found again, paused, restarted and destroyed. */
export function lifeCycle(context: () => Context): void {
  it('lists a machine that it made, and reports it as running', async () => {
    const { engine, handle } = context()
    assert.deepEqual(await engine.inspect(handle), { status: 'running' })
    const listed = (await engine.list()).map(one => JSON.stringify(one.handle))
    assert.equal(listed.filter(one => one === JSON.stringify(handle)).length, 1)
  })

  it('reports the owner of each machine, also to a service that was started later', async () => {
    const { subject, engine, handle: ownerless } = context()
    const owner = { installation: 'an-installation', node: 'a-node', number: 7 }
    const spec = { ...subject.spec(), owner }
    const handle = await engine.create(spec)
    const later = await subject.open()
    try {
      for (const one of [engine, later]) {
        const listed = await one.list()
        const found = (which: MachineHandle) => listed.find(({ handle }) => isDeepStrictEqual(handle, which))
        const { member, ...rest } = found(handle) ?? {}
        assert.deepEqual(rest, { id: spec.id, handle, owner, image: spec.image })
        const members = (await one.members?.())?.map(({ name }) => name)
        assert.ok(members ? members.includes(member ?? '') : member === undefined, member)
        assert.equal(found(ownerless)?.owner, undefined)
      }
    } finally {
      await later.close()
      await engine.destroy(handle)
    }
  })

  it('finds a machine again after a restart of the service, by a handle that was stored as JSON', async () => {
    const { subject, handle, programs } = context()
    const later = await subject.open()
    try {
      const machine = await later.open(JSON.parse(JSON.stringify(handle)))
      assert.equal((await output(machine, programs.print('here'))).stdout, 'here\n')
      machine.close()
    } finally {
      await later.close()
    }
  })

  it('refuses a second machine of the same id, and leaves the first alone', async () => {
    const { subject, engine } = context()
    const spec = subject.spec()
    const handle = await engine.create(spec)
    await assert.rejects(engine.create(spec), fails('STATE'))
    assert.equal((await engine.inspect(handle)).status, 'running')
    await engine.destroy(handle)
  })

  it('keeps every file and ends every process at a restart', async () => {
    const { subject, engine, programs } = context()
    const handle = await engine.create(subject.spec())
    const machine = await engine.open(handle)
    await machine.files.write('kept.txt', Buffer.from('kept'))
    const sleeper = await machine.exec({ ...programs.sleep(1000), detached: true })
    await engine.restart(handle)
    await assert.rejects(sleeper.exited, fails('MACHINE_FAILED'))
    const again = await engine.open(handle)
    assert.equal(await text(await again.files.read('kept.txt')), 'kept')
    assert.doesNotMatch(await commandLines(again), programs.sleepPattern(1000))
    await engine.destroy(handle)
  })

  it('stops all work of a paused machine and resumes it where it was, or refuses if its capabilities do not include pausing', async () => {
    const { engine, handle, machine, guest, programs } = context()
    if (!engine.capabilities.pause) {
      await assert.rejects(engine.pause(handle), fails('STATE'))
      return
    }
    const counter = await machine.exec(programs.count)
    const lines = counter.stdout[Symbol.asyncIterator]()
    await lines.next()
    await engine.pause(handle)
    await engine.pause(handle)
    assert.deepEqual(await engine.inspect(handle), { status: 'paused' })
    await assert.rejects(engine.open(handle), fails('STATE'))
    await assert.rejects(machine.exec(programs.succeed), fails('STATE'))
    await assert.rejects(machine.files.list(guest.home), fails('STATE'))
    await assert.rejects(machine.dial('screen:rfb'), fails('STATE'))
    await engine.resume(handle)
    await engine.resume(handle)
    assert.deepEqual(await engine.inspect(handle), { status: 'running' })
    assert.ok(!(await lines.next()).done)
    counter.kill()
    assert.deepEqual(await counter.exited, { code: 137, signal: 9 })
  })

  it('knows how much processor time programs use, or leaves it out', async () => {
    const { engine, handle, machine, programs } = context()
    const before = await engine.activity?.(handle)
    if (!before) return
    await waitFor(async () => {
      await (await machine.exec(programs.succeed)).exited
      return ((await engine.activity?.(handle))?.cpuMs ?? 0) > before.cpuMs
    })
  })

  it('knows what a machine uses, while it runs and while it is paused, or leaves it out', async () => {
    const { engine, handle, machine, programs } = context()
    const before = await engine.figures?.(handle)
    if (!before) return
    for (const use of [before.memory, before.disk])
      assert.ok(!use || (use.usedBytes > 0 && use.usedBytes <= use.limitBytes), JSON.stringify(before))
    await machine.files.write('figures.bin', Buffer.alloc(8 * 1024 * 1024, 'x'))
    await waitFor(async () => {
      await (await machine.exec(programs.succeed)).exited
      const { cpu, disk } = (await engine.figures?.(handle)) ?? {}
      const isBusier = !cpu || cpu.usedSeconds > (before.cpu?.usedSeconds ?? 0)
      return isBusier && (!disk || disk.usedBytes >= (before.disk?.usedBytes ?? 0) + 7 * 1024 * 1024)
    })
    await machine.files.remove('figures.bin')
    if (!engine.capabilities.pause) return
    await engine.pause(handle)
    const paused = await engine.figures?.(handle)
    assert.deepEqual((await engine.figures?.(handle))?.cpu, paused?.cpu)
    await engine.resume(handle)
  })

  it('destroys a machine that is running, paused or gone, as often as it is asked', async () => {
    const { subject, engine } = context()
    const handle = await engine.create(subject.spec())
    if (engine.capabilities.pause) await engine.pause(handle)
    await engine.destroy(handle)
    await engine.destroy(handle)
    assert.deepEqual(await engine.inspect(handle), { status: 'missing' })
    await assert.rejects(engine.open(handle), fails('NOT_FOUND'))
    await assert.rejects(engine.restart(handle), fails('NOT_FOUND'))
    assert.ok(!(await engine.list()).some(one => JSON.stringify(one.handle) === JSON.stringify(handle)))
  })

  it('reports that a machine ended by itself, and starts it again when asked', async () => {
    const { subject, engine, expected } = context()
    const handle = await engine.create(subject.spec())
    const machine = await engine.open(handle)
    await machine.files.write('before.txt', Buffer.from('x'))
    await subject.shutDown(machine)
    const death = await machine.died
    assert.match(death.reason, expected.shutDownReason)
    assert.equal(death.orderly, expected.reportsOrderlyShutdown)
    assert.equal((await engine.inspect(handle)).status, 'stopped')
    await assert.rejects(engine.open(handle), fails('STATE'))
    await subject.powerOn()
    await engine.restart(handle)
    const again = await engine.open(handle)
    assert.equal((await again.files.stat('before.txt')).size, 1)
    await engine.destroy(handle)
  })

  it('leaves nothing of a machine whose creation was aborted', async () => {
    const { subject, engine } = context()
    const before = await engine.list()
    const spec = subject.spec()
    const abort = new AbortController()
    const making = engine.create(spec, { signal: abort.signal })
    const rejected = assert.rejects(making)
    await subject.begun(spec.id)
    abort.abort()
    await rejected
    assert.deepEqual(await engine.list(), before)
    await engine.destroy(await engine.create(spec))
  })
}
