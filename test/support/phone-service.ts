import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openEngines } from '../../packages/server/src/engines/open-engines.ts'
import { setUpEngines } from '../../packages/server/src/engines/registry.ts'
import { readSettings } from '../../packages/server/src/settings.ts'
import { cleanup } from '../../packages/server/src/testing/cleanup.ts'
import { startTestService, type TestService } from '../../packages/server/src/testing/test-service.ts'
import { workersOf } from '../../packages/server/src/testing/workers-of.ts'

/** A shape of phones in the pool `rack`. */
export const pixel = {
  name: 'pixel',
  description: 'A phone.',
  os: 'Android',
  virtualization: 'Container',
  engine: 'adb',
  image: 'rack',
  cpus: 1,
  memoryMiB: 64,
  diskMiB: 64,
}

/** A service with a single shape, `pixel`, backed by a pool `rack` of these devices, which nothing resets. */
export async function startPhoneService(devices: readonly string[]): Promise<TestService> {
  const folder = await mkdtemp(join(tmpdir(), 'sandglass-phones-'))
  cleanup.defer(() => rm(folder, { recursive: true, force: true }))
  const [pools, shapes] = [join(folder, 'phones.json'), join(folder, 'shapes.json')]
  await writeFile(pools, JSON.stringify({ pools: { rack: { devices, reset: 'none' } } }))
  await writeFile(shapes, JSON.stringify({ shapes: [pixel] }))
  const env = { SANDGLASS_SHAPES: shapes, SANDGLASS_PHONES: pools, SANDGLASS_MACHINES: 'none' }
  const setups = setUpEngines(env, readSettings({ ...env, SANDGLASS_DATA: folder }))
  return startTestService(env, catalogue => openEngines(setups, catalogue, () => {}), undefined, workersOf)
}
