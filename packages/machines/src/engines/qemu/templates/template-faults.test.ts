import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { output } from '../../../contract/conformance/running.ts'
import { smallDisk } from '../../../testing/small-disk.ts'
import { waitFor } from '../../../testing/wait-for.ts'
import { machinePaths } from '../../local/machine-paths.ts'
import { canClone } from '../../local/storage/can-clone.ts'
import { leftovers } from '../../local/test-leftovers.ts'
import { currentQemu } from '../machine/qemu-version.ts'
import { QemuEngine } from '../qemu-engine.ts'
import { type TestVms, testVms, vmSpec } from '../test-engine.ts'
import { linkTemplates, type OwnImages, ownImages, pretendQemu } from '../test-images.ts'
import { templateMachine } from './templates.ts'

/** Makes a template, like a service whose operator has added a shape. */
const service = `
const { QemuEngine } = await import(${JSON.stringify(join(import.meta.dirname, '../qemu-engine.ts'))})
const engine = new QemuEngine(JSON.parse(process.argv[1]))
await engine.memory.prepare(JSON.parse(process.argv[2]))
`

describe('a template', () => {
  let images: OwnImages
  let test: TestVms
  let engine: QemuEngine
  const spec = vmSpec()

  before(async () => {
    images = await ownImages()
    await linkTemplates(images)
    test = await testVms({ imagesDir: images.imagesDir })
    engine = test.open()
  })
  after(async () => {
    await engine?.close()
    await test?.dispose()
    await images?.dispose()
  })

  /** Returns the path of a file of the template that machines start from, which is as it was made. */
  const fileOf = async (name: string) => {
    await linkTemplates(images)
    const { origin } = (await engine.memory.find(spec)) ?? assert.fail('there is no template')
    return join(dirname(origin.state), name)
  }
  const works = async () => {
    const handle = await engine.create(vmSpec())
    const machine = await engine.open(handle)
    assert.equal((await output(machine, { executable: 'echo', args: ['here'] })).stdout, 'here\n')
    await engine.destroy(handle)
  }
  const drafts = async () => (await readdir(images.templatesDir)).filter(name => name.includes('.part'))

  it('that has only a part of a file is removed', async () => {
    for (const name of ['state', 'memory', 'disk.raw', 'template.json']) {
      const path = await fileOf(name)
      await rm(path)
      await writeFile(path, '{}')
      assert.equal(await engine.memory.find(spec), undefined, name)
      assert.ok(!existsSync(dirname(path)), name)
    }
  })

  it('that was made again is not mixed with the one before, of which nothing is kept', async () => {
    await linkTemplates(images)
    const before = (await engine.memory.find(spec)) ?? assert.fail('there is no template')
    await linkTemplates(images)
    const now = (await engine.memory.find(spec)) ?? assert.fail('there is no template')
    assert.equal(now.key, before.key)
    assert.notEqual(now.origin.memory, before.origin.memory)
    await waitFor(() => !existsSync(before.origin.memory))
    if (!canClone(engine.settings.disksDir)) return
    assert.ok(existsSync(now.disk) && !existsSync(before.disk))
  })

  it('with a broken state is removed, and the machine boots instead', async () => {
    const path = await fileOf('state')
    const state = await readFile(path)
    state.fill('garbage', Math.floor(state.length / 2))
    await writeFile(path, state)
    await works()
    assert.equal(await engine.memory.has(spec), false)
    assert.ok(!existsSync(dirname(path)))
  })

  it('is made again by the next service, whenever the one that makes it is killed', async t => {
    // The key of a template depends on the version, so there is none yet.
    const restore = await pretendQemu(`${await installed()}.99 (with a fix)`)
    try {
      await waitFor(async () => !(await engine.memory.has(spec)))
      for (const [step, isReached] of Object.entries(steps(engine, images)))
        await t.test(`when ${step}`, async () => {
          const args = [
            '--input-type=module',
            '-e',
            service,
            JSON.stringify(test.options),
            JSON.stringify(spec),
          ]
          const child = spawn(process.execPath, args, { stdio: 'inherit' })
          const exited = once(child, 'exit')
          try {
            await waitFor(isReached)
          } finally {
            child.kill('SIGKILL')
            await exited
          }
          const next = test.open()
          await next.memory.sweep()
          assert.equal(await next.memory.has(spec), false)
          let left: string[] = []
          await waitFor(async () => {
            left = [...(await leftovers(engine.settings)), ...(await drafts())]
            return left.length === 0
          }).catch(() => assert.fail(left.join()))
          await next.close()
        })
      await engine.memory.prepare(spec)
      assert.ok(await engine.memory.has(spec))
      await works()
      assert.ok(await engine.memory.has(spec), 'the machine started from it')
      assert.deepEqual(await drafts(), [])
    } finally {
      await restore()
    }
  })

  it('that does not fit on the disk is not made, and nothing is left of it', async () => {
    const own = await ownImages()
    const small = await smallDisk(96)
    const restore = await pretendQemu(`${await installed()}.98 (on a small disk)`)
    await symlink(small.folder, own.templatesDir)
    const other = new QemuEngine({ ...test.options, imagesDir: own.imagesDir })
    try {
      await waitFor(async () => !(await other.memory.has(spec)))
      await assert.rejects(other.memory.prepare(spec), /QEMU ended|ENOSPC|No space/)
      const left = (await readdir(small.folder)).filter(name => name !== 'lost+found')
      assert.deepEqual([...left, ...(await leftovers(engine.settings))], [])
    } finally {
      await other.close()
      await restore()
      await small.dispose()
      await own.dispose()
    }
  })
})

/** The version of QEMU as far as its devices depend on it, such as 7.2. */
const installed = async () => (await currentQemu()).machineType.replace('pc-q35-', '')

/** What can be seen of a template that is being made, in the order in which it appears. */
function steps(
  { settings }: QemuEngine,
  { templatesDir }: OwnImages,
): Record<string, () => Promise<boolean>> {
  const isThere = (pathOf: (names: { machine: string; draft: string }) => string) => async () => {
    const machine = (await readdir(settings.machinesDir).catch(() => [])).find(id =>
      id.startsWith(templateMachine),
    )
    const draft = (await readdir(templatesDir)).find(name => name.endsWith('.part'))
    return (
      draft !== undefined &&
      existsSync(pathOf({ machine: machine ?? 'none', draft: join(templatesDir, draft) }))
    )
  }
  const ofMachine = (pathOf: (paths: ReturnType<typeof machinePaths>) => string) =>
    isThere(({ machine }) => pathOf(machinePaths(settings, machine)))
  return {
    'its folder is made': isThere(({ draft }) => draft),
    'its machine has an id': ofMachine(({ record }) => record),
    'its machine has a disk': ofMachine(({ disk }) => disk),
    'the container of its machine is described': ofMachine(({ bundle }) => join(bundle, 'config.json')),
    'QEMU runs': ofMachine(({ sockets }) => join(sockets, 'qmp')),
    'its machine has booted': ofMachine(({ sockets }) => join(sockets, 'agent')),
    'its state is being saved': isThere(({ draft }) => join(draft, 'state')),
    'its disk is being copied': isThere(({ draft }) => join(draft, 'disk.raw')),
  }
}
