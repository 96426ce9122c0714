import assert from 'node:assert/strict'
import { stat } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import type { Machine } from '../../../contract/machine.ts'
import { idOf } from '../handle.ts'
import type { LocalEngine } from '../local-engine.ts'
import { machinePaths } from '../machine-paths.ts'
import { type TestEngine, testEngine, testSpec } from '../test-engine.ts'
import { leftovers } from '../test-leftovers.ts'
import { isVolume } from './disk-volume.ts'

const MiB = 1024 * 1024

/** As on a host whose file system cannot clone files, and that has no volume. */
describe('disks that are copied when they are saved', { timeout: 300_000 }, () => {
  let test: TestEngine
  let engine: LocalEngine

  const asRoot = async (machine: Machine, script: string) => {
    const running = await machine.exec({ executable: 'sh', args: ['-c', script], user: 'root' })
    const stdout = await text(running.stdout)
    assert.deepEqual(await running.exited, { code: 0 })
    return stdout
  }

  before(async () => {
    test = await testEngine({ volumeMiB: 0 })
    engine = test.open()
  })
  after(async () => {
    await engine?.close()
    await test?.dispose()
  })

  it('are the beginning of other machines, and replace the disk of their own', async () => {
    assert.ok(!isVolume(engine.settings))
    const spec = testSpec({ diskMiB: 256 })
    const source = await engine.open(await engine.create(spec))
    await asRoot(source, 'echo saved > /srv/state; truncate -s 50M /srv/sparse')
    const { handle, sizeMiB } = await engine.snapshots.take(source.handle, { id: 'copied' })
    assert.ok(sizeMiB < 64, `${sizeMiB} MiB`)
    await asRoot(source, 'echo newer > /srv/state')
    const other = await engine.open(await engine.snapshots.create(handle, testSpec({ diskMiB: 256 })))
    assert.equal(await asRoot(other, 'cat /srv/state; stat -c %U /srv/state'), 'saved\nroot\n')
    await engine.snapshots.restore(source.handle, handle)
    const restored = await engine.open(source.handle)
    assert.equal(await asRoot(restored, 'cat /srv/state'), 'saved\n')
    for (const machine of [restored, other]) {
      const { size, blocks } = await stat(machinePaths(engine.settings, idOf(machine.handle)).disk)
      assert.ok(size === 256 * MiB && blocks * 512 < 64 * MiB, `${(blocks * 512) / MiB} MiB are taken`)
    }
    for (const machine of [restored, other]) await engine.destroy(machine.handle)
    await engine.snapshots.remove(handle)
    assert.deepEqual(await leftovers(engine.settings), [])
  })
})
