import assert from 'node:assert/strict'
import { it } from 'node:test'
import { waitFor } from '../../testing/wait-for.ts'
import type { Engine } from '../engine.ts'
import type { MachineHandle } from '../handle.ts'
import { wholeMachine } from '../health.ts'
import type { Machine } from '../machine.ts'
import { fails } from './running.ts'
import type { Subject } from './subject.ts'

interface Context {
  readonly subject: Pick<Subject, 'spec' | 'partition'>
  readonly engine: Engine
  readonly handle: MachineHandle
  readonly machine: Machine
}

/** Tests what an engine reports of itself, and of machines that it cannot reach. */
export function reports(context: () => Context): void {
  it('reports whether it can make machines of an image', async () => {
    const { engine, subject } = context()
    const health = await engine.health()
    assert.ok(health.ready, JSON.stringify(health))
    assert.equal(health.unavailable[subject.spec().image], undefined)
  })

  it('reports how many further machines fit, and the reason where none does', async () => {
    const { engine, subject } = context()
    const { diskMiB, image } = subject.spec()
    const ofImage = await engine.capacity(diskMiB, image)
    assert.ok(Number.isInteger(ofImage.fits) && ofImage.fits > 0, JSON.stringify(ofImage))
    for (const capacity of [ofImage, await engine.capacity(diskMiB), await engine.capacity(2 ** 50)])
      assert.equal(capacity.reason === undefined, capacity.fits > 0, JSON.stringify(capacity))
  })

  it('reports the space that it has for disks, if it knows it', async () => {
    const space = await context().engine.diskSpace?.()
    if (!space) return
    assert.ok(space.freeBytes >= 0 && space.totalBytes >= space.freeBytes, JSON.stringify(space))
    assert.ok(space.totalBytes > 0)
  })

  it('reports a machine behind a broken network as unreachable, not as dead, and finds it again', async () => {
    const { engine, subject, handle, machine } = context()
    if (!subject.partition) return
    const heal = await subject.partition(handle)
    const { status, reason } = await engine.inspect(handle)
    assert.deepEqual([status, reason !== undefined], ['unreachable', true])
    await assert.rejects(engine.open(handle), fails('UNREACHABLE'))
    await waitFor(async () => machine.health.problem?.component === wholeMachine)
    await heal()
    assert.equal((await engine.inspect(handle)).status, 'running')
    // It has not died meanwhile: the same connection works again.
    await waitFor(async () => machine.health.problem === undefined)
    assert.equal(await Promise.race([machine.died, Promise.resolve('alive')]), 'alive')
  })
}
