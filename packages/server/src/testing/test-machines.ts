import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AptMirror } from '@sandglass/machines/apt'
import { buildImage } from '@sandglass/machines/images'
import { installMissing, LocalEngine, type LocalEngineOptions } from '@sandglass/machines/local'
import { patienceMs } from '@sandglass/machines/testing'
import { cleanup } from './cleanup.ts'
import { enginesOf } from './engines-of.ts'
import { startTestService, type TestService } from './test-service.ts'
import { workersOf } from './workers-of.ts'

/** Images are kept between test runs, so that they are built only once. */
export const testImages =
  process.env['SANDGLASS_TEST_IMAGES'] ?? join(import.meta.dirname, '../../../../data/images')

/**
 * Writes a shapes file: `small`, which boots on demand, and optionally `warm`, which has a warm pool, and `phone`, a
 * phone simulator.
 */
export async function testShapes(folder: string, warm: number, hasPhone = false): Promise<string> {
  const small = {
    description: 'For tests.',
    os: 'Linux',
    virtualization: 'Container',
    engine: 'local',
    image: 'minimal',
    cpus: 1,
    memoryMiB: 512,
    diskMiB: 512,
    pids: 256,
  }
  const shapes = [
    { ...small, name: 'small', pricePerHour: 0.5 },
    ...(warm > 0 ? [{ ...small, name: 'warm', warm }] : []),
    ...(hasPhone ? [{ ...small, ...phone }] : []),
  ]
  const file = join(folder, 'shapes.json')
  await writeFile(file, JSON.stringify({ shapes }))
  return file
}

const phone = {
  name: 'phone',
  image: 'phone',
  os: 'Android',
  simulatesPhone: true,
  memoryMiB: 1024,
  screen: { width: 720, height: 1280 },
}

export interface MachineService {
  readonly service: TestService
  readonly engine: LocalEngine
}

/** Starts a service with real machines on this host, which have no internet access and are destroyed after the tests. */
export async function startMachineService({
  warm = 0,
  hasPhone = false,
  env = {},
  meminfo,
  ...options
}: Partial<LocalEngineOptions> & {
  warm?: number
  /** Whether to add the shape `phone`. */
  hasPhone?: boolean
  /** Additional settings of the service. */
  env?: Record<string, string>
  /** What the service reads in place of /proc/meminfo. */
  meminfo?: string
} = {}): Promise<MachineService> {
  await installMissing()
  await buildImage('minimal', { imagesDir: testImages })
  if (hasPhone) await buildImage('phone', { imagesDir: testImages })
  const folder = await mkdtemp(join(tmpdir(), 'sandglass-machines-'))
  const engineOptions: LocalEngineOptions = {
    dataDir: join(folder, 'local'),
    imagesDir: testImages,
    uplink: 'none',
    readyTimeoutMs: patienceMs,
    // Other tests may be using the disk too.
    diskOvercommit: 10,
    ...options,
  }
  cleanup.defer(async () => {
    await new LocalEngine(engineOptions).dismantle()
    await rm(folder, { recursive: true, force: true })
  })
  const engine = new LocalEngine(engineOptions)
  const engines = enginesOf(engine, new AptMirror(join(folder, 'packages')))
  const shapes = await testShapes(folder, warm, hasPhone)
  const service = await startTestService(
    { SANDGLASS_SHAPES: shapes, ...env },
    async () => engines,
    undefined,
    workersOf,
    meminfo,
  )
  return { service, engine }
}
