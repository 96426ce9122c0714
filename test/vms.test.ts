import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import { Sandbox, Sandglass } from '@sandglass/client'
import { debianPackages, installMissing, LocalEngine } from '@sandglass/machines/local'
import { QemuEngine, vmPackages } from '@sandglass/machines/qemu'
import { patienceMs, waitFor } from '@sandglass/machines/testing'
import { cleanup } from '../packages/server/src/testing/cleanup.ts'
import { testImages } from '../packages/server/src/testing/test-machines.ts'
import { ServiceProcess, temporaryFolder } from './support/service-process.ts'

/** Of the kind that the tests of the engine use too, so that there is a template already. */
const vm = {
  name: 'vm',
  description: 'A virtual machine.',
  os: 'Linux',
  virtualization: 'KVM',
  engine: 'qemu',
  image: 'minimal',
  cpus: 1,
  memoryMiB: 512,
  diskMiB: 2048,
  pids: 256,
}

describe('virtual machines of a service', () => {
  let client: Sandglass
  let box: Sandbox

  before(async () => {
    await installMissing([...debianPackages, ...vmPackages])
    const data = await temporaryFolder()
    const common = { imagesDir: testImages, uplink: 'none' } as const
    cleanup.defer(() => new LocalEngine({ ...common, dataDir: join(data, 'local') }).dismantle())
    cleanup.defer(() =>
      new QemuEngine({ ...common, dataDir: join(data, 'qemu'), acceleration: 'emulation' }).dismantle(),
    )
    const shapes = join(data, 'shapes.json')
    await writeFile(shapes, JSON.stringify({ shapes: [vm] }))
    const service = await ServiceProcess.start(data, {
      SANDGLASS_MACHINES: 'local',
      SANDGLASS_VMS: 'on',
      SANDGLASS_VM_ACCELERATION: 'emulation',
      SANDGLASS_UPLINK: 'none',
      SANDGLASS_IMAGES: testImages,
      SANDGLASS_SHAPES: shapes,
      SANDGLASS_DISK_OVERCOMMIT: '10',
      SANDGLASS_START_TIMEOUT: '60',
    })
    client = new Sandglass({ ...(await service.credentials()), timeoutMs: patienceMs })
    // The disk and the saved memory may have to be made first.
    await waitFor(() => service.printed.includes('Machines of the saved memory of vm are ready.'), patienceMs)
    box = await Sandbox.create({ client, shape: 'vm', name: 'vm' }, { timeoutMs: patienceMs })
  })

  const counted = async (where: Sandbox) => Number((await where.run('cat /dev/shm/count')).stdout)

  it('are offered as what they are', async () => {
    const shapes = await client.listShapes()
    const shape = shapes.find(({ name }) => name === 'vm')
    assert.deepEqual([shape?.os, shape?.virtualization], ['Linux', 'KVM'])
    assert.match(shape?.description ?? '', /emulated/)
  })

  it('run programs as root of a kernel of their own, keep files, and show a click', async () => {
    const { stdout } = await box.run('uname -r; sudo sysctl -qw kernel.panic=7 && cat /proc/sys/kernel/panic')
    assert.match(stdout, /cloud-amd64\n7\n$/)
    await box.files.write('kept.txt', 'kept')
    assert.equal(await box.files.readText('kept.txt'), 'kept')
    const before = await box.screenshot()
    await box.mouse.click(640, 360, { button: 'right' })
    await waitFor(async () => !Buffer.from((await box.screenshot()).bytes).equals(Buffer.from(before.bytes)))
  })

  it('continue in forks with their memory, and after hibernation', async () => {
    await box.run(
      '(n=0; while :; do n=$((n+1)); echo $n > /dev/shm/count; sleep 0.2; done) >/dev/null 2>&1 &',
    )
    await waitFor(async () => (await counted(box)) > 2)
    const fork = await box.fork({ memory: true, timeoutMs: patienceMs })
    const first = await counted(fork)
    assert.ok(first > 2)
    await waitFor(async () => (await counted(fork)) > first)
    assert.notEqual((await fork.run('hostname')).stdout, (await box.run('hostname')).stdout)
    await fork.delete()
    const before = await counted(box)
    await box.hibernate()
    await box.resume({ timeoutMs: patienceMs })
    await waitFor(async () => (await counted(box)) > before)
    assert.equal(await box.files.readText('kept.txt'), 'kept')
  })

  it('are deleted with everything', async () => {
    await box.delete()
    await waitFor(async () => (await Array.fromAsync(client.all('listSandboxes'))).length === 0)
  })
})
