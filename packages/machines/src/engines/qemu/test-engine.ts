import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { MachineSpec } from '../../contract/spec.ts'
import { debianPackages, installMissing } from '../local/host/debian-packages.ts'
import { vmPackages } from './host/packages.ts'
import { buildVmDisk } from './images/build-vm-disk.ts'
import type { QemuEngineOptions } from './options.ts'
import { QemuEngine } from './qemu-engine.ts'

/** Images and templates are built once for all test runs. */
export const testImages =
  process.env['SANDGLASS_TEST_IMAGES'] ?? join(import.meta.dirname, '../../../../../data/images')

/** Emulated machines without network, on a host whose processor and disk other tests may be using at the same time. */
export const patientOptions = {
  uplink: 'none',
  acceleration: 'emulation',
  readyTimeoutMs: 300_000,
  diskOvercommit: 10,
} as const

export interface TestVms {
  readonly options: QemuEngineOptions
  /** Opens another engine on the same data, as after a restart of the service. */
  open(): QemuEngine
  dispose(): Promise<void>
}

export const vmSpec = (more: Partial<MachineSpec> = {}): MachineSpec => ({
  id: `t-${randomBytes(6).toString('hex')}`,
  image: 'minimal',
  cpus: 1,
  memoryMiB: 512,
  pids: 256,
  diskMiB: 2048,
  ...more,
})

/**
 * Creates an engine on a temporary directory, without network unless an uplink is given, whose machines start from a template. They
 * are emulated, because a host that tests run on may not be able to do more.
 */
export async function testVms(options: Partial<QemuEngineOptions> = {}): Promise<TestVms> {
  await installMissing([...debianPackages, ...vmPackages])
  const dataDir = await mkdtemp(join(tmpdir(), 'sandglass-vms-'))
  const whole: QemuEngineOptions = {
    dataDir,
    imagesDir: testImages,
    ...patientOptions,
    ...options,
  }
  const engine = new QemuEngine(whole)
  try {
    await buildVmDisk(engine.settings, 'minimal')
    await engine.memory.prepare(vmSpec())
  } finally {
    await engine.close()
  }
  return {
    options: whole,
    open: () => new QemuEngine(whole),
    async dispose() {
      await new QemuEngine(whole).dismantle()
      await rm(dataDir, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}
