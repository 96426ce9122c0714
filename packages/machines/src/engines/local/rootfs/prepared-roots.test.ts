import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { machinePaths } from '../machine-paths.ts'
import { cgroupLayout } from '../oci/cgroups.ts'
import { Runtime } from '../oci/runtime.ts'
import { claimId, transferIndex, writeRecord } from '../records.ts'
import { type TestEngine, testEngine, testSpec } from '../test-engine.ts'
import { leftovers } from '../test-leftovers.ts'
import { findImage } from './image-store.ts'
import { chooseLower } from './lower.ts'
import { mountsBelow } from './mounts.ts'
import { movePreparedRoot, prepareRoot, rangeOf, removePreparedRoot } from './prepared-root.ts'
import { preparedNames } from './prepared-roots.ts'

const engineFile = JSON.stringify(join(import.meta.dirname, '../local-engine.ts'))

/** A service that reports when its pool is full, and then stays alive. */
const service = `
const { LocalEngine } = await import(${engineFile})
const engine = new LocalEngine(JSON.parse(process.argv[1]))
await engine.prepare('minimal', 128)
process.stdout.write('full')
setInterval(() => {}, 1000)
`

describe('the pool of prepared roots', () => {
  let test: TestEngine
  before(async () => {
    test = await testEngine({ maxMachines: 5 })
  })
  after(async () => {
    await test?.dispose()
  })

  it('stays small whatever sizes are requested, and is removed with the engine', async () => {
    const engine = test.open()
    for (const diskMiB of [128, 192, 256]) await engine.prepare('minimal', diskMiB)
    assert.equal((await preparedNames(engine.settings)).length, 4)
    await engine.close()
    assert.deepEqual(await preparedNames(engine.settings), [])
    assert.deepEqual(await mountsBelow(engine.settings.runDir), [])
  })

  it('gives each machine an unused root of the requested size', async () => {
    const engine = test.open()
    const sizes = [128, 192, 128]
    await engine.prepare('minimal', 128)
    const [first] = await preparedNames(engine.settings)
    const handles = await Promise.all(sizes.map(diskMiB => engine.create(testSpec({ diskMiB }))))
    assert.ok(!(await preparedNames(engine.settings)).includes(first ?? ''))
    for (const [i, handle] of handles.entries()) {
      const machine = await engine.open(handle)
      const content = await machine.files.read('/etc/hostname')
      let hostname = ''
      for await (const chunk of content) hostname += chunk
      assert.deepEqual(handle.state, { id: hostname.trim() })
      const probe = await machine.exec({
        executable: 'sh',
        args: ['-c', 'test ! -e /home/user/seen && touch /home/user/seen && df --output=size -m / | tail -1'],
      })
      let shown = ''
      for await (const chunk of probe.stdout) shown += chunk
      const size = Number(shown)
      assert.ok(size > (sizes[i] ?? 0) * 0.8 && size <= (sizes[i] ?? 0), `${size} MiB of ${sizes[i]}`)
    }
    for (const handle of handles) await engine.destroy(handle)
    assert.deepEqual(await leftovers(engine.settings), [])
    await engine.close()
  })

  it('grows to as many roots as machines were created at once', async () => {
    const engine = test.open()
    const handles = await Promise.all([1, 2, 3, 4].map(() => engine.create(testSpec({ diskMiB: 128 }))))
    for (const handle of handles) await engine.destroy(handle)
    await engine.prepare('minimal', 128)
    assert.equal((await preparedNames(engine.settings)).length, 4)
    await engine.close()
    assert.deepEqual(await leftovers(engine.settings), [])
  })

  for (const egress of ['internet', 'none', [{ cidr: '203.0.113.0/24' }, { host: 'example.com' }]] as const) {
    it(`leaves nothing of a machine with egress ${JSON.stringify(egress)} whose create was killed`, async () => {
      const engine = test.open()
      const { settings } = engine
      const layout = cgroupLayout()
      const ender = { settings, runtime: new Runtime(settings, layout, 'runc'), layout }
      await engine.prepare('minimal')
      const lower = await chooseLower(settings, await findImage(settings, 'minimal'))
      const [taken, moved] = [testSpec({ egress, diskMiB: 128 }), testSpec({ egress, diskMiB: 128 })]
      for (const spec of [taken, moved]) {
        const root = await prepareRoot(ender, `${process.pid}-0-${spec.id}`, { lower, diskMiB: 128 })
        await claimId(settings, spec.id)
        await transferIndex(settings, root.index, spec.id, machinePaths(settings, spec.id).home)
        if (spec === taken) continue
        const range = rangeOf(settings, lower, root.index)
        const record = { version: 1, spec, index: root.index, image: 'minimal', lower, range } as const
        await writeRecord(settings, { ...record, complete: false })
        await movePreparedRoot(settings, root.name, spec.id)
      }
      for (const { handle } of await engine.list()) await engine.destroy(handle)
      await removePreparedRoot(ender, `${process.pid}-0-${taken.id}`)
      await engine.close()
      assert.deepEqual(await leftovers(settings), [])
    })
  }

  it('never takes the last index from a machine', async () => {
    const engine = test.open()
    await engine.prepare('minimal', 128)
    const handles = await Promise.all([1, 2, 3, 4, 5].map(() => engine.create(testSpec({ diskMiB: 192 }))))
    await assert.rejects(engine.create(testSpec()), /at most 5 machines/)
    for (const handle of handles) await engine.destroy(handle)
    await engine.close()
  })

  it('is removed by the next engine after a service was killed', async t => {
    const args = ['--input-type=module', '-e', service, JSON.stringify(test.options)]
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    t.after(() => child.kill('SIGKILL'))
    await once(child.stdout, 'data')
    const engine = test.open()
    assert.equal((await preparedNames(engine.settings)).length, 2)
    assert.deepEqual(await engine.list(), [])
    assert.equal((await preparedNames(engine.settings)).length, 2, 'its owner is alive')
    child.kill('SIGKILL')
    await once(child, 'exit')
    const next = test.open()
    assert.deepEqual(await next.list(), [])
    assert.deepEqual(await preparedNames(next.settings), [])
    assert.deepEqual(await leftovers(next.settings), [])
    for (const one of [engine, next]) await one.close()
  })

  it('is removed by dismantle, whoever created it', async () => {
    const engine = test.open()
    await engine.prepare('minimal', 128)
    await test.open().dismantle()
    assert.ok(!existsSync(engine.settings.runDir) && !existsSync(engine.settings.preparedDir))
    await engine.close()
    assert.deepEqual(await leftovers(engine.settings), [])
  })
})
