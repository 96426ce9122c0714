import assert from 'node:assert/strict'
import { mkdtemp, open, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { performOnDesktop } from '../../actions/index.ts'
import type { MachineHandle } from '../../contract/handle.ts'
import type { Machine } from '../../contract/machine.ts'
import { waitFor } from '../../testing/wait-for.ts'
import { debianPackages, installMissing } from '../local/host/debian-packages.ts'
import { machinePaths } from '../local/machine-paths.ts'
import { findInit } from '../local/oci/init-process.ts'
import { ConsoleMachine } from './console/console-machine.ts'
import { FirmwareText } from './console/test-firmware-text.ts'
import { diskPackages, vmPackages } from './host/packages.ts'
import { addDisk } from './images/add-disk.ts'
import { QemuEngine } from './qemu-engine.ts'
import { patientOptions, vmSpec } from './test-engine.ts'

const MiB = 1024 * 1024

/** An empty disk boots into the shell of the firmware, which is a system without any agent. */
describe('a disk that an operator brings', { timeout: 900_000 }, () => {
  let folder: string
  let engine: QemuEngine
  let handle: MachineHandle
  let machine: Machine
  const spec = vmSpec({ image: 'empty', memoryMiB: 256, diskMiB: 128 })

  before(async () => {
    await installMissing([...debianPackages, ...vmPackages, ...diskPackages])
    folder = await mkdtemp(join(tmpdir(), 'sandglass-brought-'))
    const disk = join(folder, 'disk.img')
    const file = await open(disk, 'w')
    await file.truncate(64 * MiB)
    await file.close()
    const imagesDir = join(folder, 'images')
    const brought = { os: 'other', firmware: 'uefi', agent: 'none', devices: 'virtio' } as const
    await addDisk('empty', disk, brought, { imagesDir, reserveDiskMiB: 0, format: 'raw' })
    engine = new QemuEngine({ dataDir: join(folder, 'data'), imagesDir, ...patientOptions })
    handle = await engine.create(spec)
    machine = await engine.open(handle)
  })
  after(async () => {
    machine?.close()
    await engine?.dismantle()
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  })

  const text = new FirmwareText('some')
  const linesOf = async (where: Machine) => text.read((await screenOf(where).look()).frame)
  /** The prompt is there. Before, any key is taken as the wish to see it. */
  const booted = (where: Machine) =>
    waitFor(async () => {
      const { frame } = await screenOf(where).look()
      return text.learn(frame) && text.read(frame).some(line => line.startsWith('Shell'))
    }, 120_000)
  const screenOf = (where: Machine) => {
    assert.ok(where instanceof ConsoleMachine)
    return where.screen
  }
  const type = (content: string) =>
    performOnDesktop({ type: 'keyboard:type', content, treatNewLineAsEnter: true }, screenOf(machine))

  it('boots with its own firmware, shows its screen and takes input', async () => {
    await booted(machine)
    await type('there\n')
    await waitFor(async () => (await linesOf(machine)).some(line => line.includes('there')))
  })

  it('explains what it lacks', async () => {
    await assert.rejects(machine.exec({ executable: 'true' }), { code: 'LACKS_AGENT' })
    await assert.rejects(machine.files.list('/'), { code: 'LACKS_AGENT' })
  })

  it('is saved with its memory, and continues where it was', async () => {
    const taken = await engine.snapshots.take(handle, { id: 'shell', memory: true })
    const other = await engine.snapshots.create(taken.handle, { ...spec, id: vmSpec().id })
    const opened = await engine.open(other)
    await waitFor(async () => (await linesOf(opened)).some(line => line.includes('there')))
    opened.close()
    await engine.destroy(other)
    await engine.snapshots.remove(taken.handle)
  })

  it('is paused, switched off and started again', async () => {
    await engine.pause(handle)
    assert.equal((await engine.inspect(handle)).status, 'paused')
    await engine.resume(handle)
    await engine.restart(handle)
    machine.close()
    machine = await engine.open(handle)
    await booted(machine)
  })

  it('is shut down from inside, and says so', async () => {
    await type('reset -s\n')
    const { reason, orderly } = await machine.died
    assert.match(reason, /shut down/)
    assert.equal(orderly, true)
    assert.equal((await engine.inspect(handle)).status, 'stopped')
  })

  it('ends with QEMU, which is no shutdown', async () => {
    await engine.restart(handle)
    machine = await engine.open(handle)
    const paths = machinePaths(engine.settings, spec.id)
    const relay = (await findInit(paths))?.pid ?? 0
    const [qemu] = (await readFile(`/proc/${relay}/task/${relay}/children`, 'utf8')).split(' ')
    process.kill(Number(qemu), 'SIGKILL')
    const { reason, orderly } = await machine.died
    assert.match(reason, /QEMU\) ended/)
    assert.equal(orderly, false)
  })
})
