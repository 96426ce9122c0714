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

/** Images are built once for all test runs. */
export const testImages =
  process.env['SANDGLASS_TEST_IMAGES'] ?? join(import.meta.dirname, '../../../../data/images')

/** Shapes of the small test image: one that boots when asked for, and one that is kept warm; and a phone's simulator. */
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
  simulatesPhone: true,
  memoryMiB: 1024,
  screen: { width: 720, height: 1280 },
}

export interface MachineService {
  readonly service: TestService
  readonly engine: LocalEngine
}

/** A service with real machines on this box, which have no way out; all of them are gone after the tests. */
export async function startMachineService({
  warm = 0,
  hasPhone = false,
  env = {},
  ...options
}: Partial<LocalEngineOptions> & {
  warm?: number
  /** Whether there is a shape `phone`. */
  hasPhone?: boolean
  /** Settings of the service. */
  env?: Record<string, string>
} = {}): Promise<MachineService> {
  await installMissing()
  await buildImage('minimal', { imagesDir: testImages })
  if (hasPhone) await buildImage('phone', { imagesDir: testImages })
  const folder = await mkdtemp(join(tmpdir(), 'sandglass-machines-'))
  const whole: LocalEngineOptions = {
    dataDir: join(folder, 'local'),
    imagesDir: testImages,
    uplink: 'none',
    readyTimeoutMs: patienceMs,
    ...options,
  }
  cleanup.defer(async () => {
    await new LocalEngine(whole).dismantle()
    await rm(folder, { recursive: true, force: true })
  })
  const engine = new LocalEngine(whole)
  const engines = enginesOf(engine, new AptMirror(join(folder, 'packages')))
  const shapes = await testShapes(folder, warm, hasPhone)
  const service = await startTestService({ SANDGLASS_SHAPES: shapes, ...env }, async () => engines)
  return { service, engine }
}
