import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { MachineSpec } from '../../contract/spec.ts'
import { buildImage } from '../../images/build-image.ts'
import { installMissing } from './host/debian-packages.ts'
import { installGvisor } from './host/gvisor-package.ts'
import { LocalEngine } from './local-engine.ts'
import type { LocalEngineOptions } from './options.ts'

/** Images are built once for all test runs. */
const imagesDir =
  process.env['SANDGLASS_TEST_IMAGES'] ?? join(import.meta.dirname, '../../../../../data/images')

export interface TestEngine {
  readonly options: LocalEngineOptions
  /** Opens another engine on the same data, as after a restart of the service. */
  open(): LocalEngine
  dispose(): Promise<void>
}

/**
 * Creates an engine on a temporary directory with the minimal image, and without network unless an uplink is given.
 */
export async function testEngine(options: Partial<LocalEngineOptions> = {}): Promise<TestEngine> {
  await installMissing()
  if (options.runtime === 'runsc') await installGvisor()
  await buildImage('minimal', { imagesDir })
  const dataDir = await mkdtemp(join(tmpdir(), 'sandglass-test-'))
  // Other tests may be using the processor at the same time.
  const patient = { readyTimeoutMs: 120_000 }
  // Other tests may be using the disk too, so that it is promised several times over.
  const shared = { diskOvercommit: 10 }
  const whole: LocalEngineOptions = { dataDir, imagesDir, uplink: 'none', ...patient, ...shared, ...options }
  return {
    options: whole,
    open: () => new LocalEngine(whole),
    async dispose() {
      await new LocalEngine(whole).dismantle()
      await rm(dataDir, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

export const testSpec = (more: Partial<MachineSpec> = {}): MachineSpec => ({
  id: `t-${randomBytes(6).toString('hex')}`,
  image: 'minimal',
  cpus: 1,
  memoryMiB: 512,
  pids: 256,
  diskMiB: 512,
  ...more,
})
