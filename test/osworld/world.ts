import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { buildImage } from '@sandglass/machines/images'
import { cleanup } from '../../packages/server/src/testing/cleanup.ts'
import { startMachineService, testImages } from '../../packages/server/src/testing/test-machines.ts'
import type { TestService } from '../../packages/server/src/testing/test-service.ts'
import { Provider } from './provider.ts'

export const osworld = join(import.meta.dirname, '../../examples/osworld')

const shape = {
  name: 'linux-desktop-large',
  description: 'For OSWorld.',
  os: 'Linux',
  virtualization: 'Container',
  engine: 'local',
  image: 'desktop',
  cpus: 2,
  memoryMiB: 3072,
  diskMiB: 8192,
  pids: 2048,
}

interface Step {
  readonly apt?: readonly string[]
  readonly files?: string
}

/** A service with OSWorld's image, and a provider that uses it. */
export interface World {
  readonly service: TestService
  readonly provider: Provider
  /** The image, as OSWorld names it. */
  readonly path: string
}

/** Starts a service and builds the image. `isWanted` leaves out applications that a test does not need. */
export async function startWorld(isWanted: (packages: readonly string[]) => boolean): Promise<World> {
  const folder = await mkdtemp(join(tmpdir(), 'sandglass-osworld-'))
  cleanup.defer(() => rm(folder, { recursive: true, force: true }))
  const shapes = join(folder, 'shapes.json')
  await writeFile(shapes, JSON.stringify({ shapes: [shape] }))
  await buildImage('desktop', { imagesDir: testImages })
  const { service } = await startMachineService({ env: { SANDGLASS_SHAPES: shapes } })
  const { url, orgId, apiKey } = service.service.credentials
  const env = { SANDGLASS_URL: url, SANDGLASS_ORG: orgId, SANDGLASS_API_KEY: apiKey }
  const recipe: { steps: Step[] } = JSON.parse(await readFile(join(osworld, 'image/recipe.json'), 'utf8'))
  const steps = recipe.steps
    .filter(({ apt }) => !apt || isWanted(apt))
    .map(step => (step.files ? { files: join(osworld, 'image', step.files) } : step))
  await writeFile(join(folder, 'recipe.json'), JSON.stringify({ ...recipe, steps }))
  await promisify(execFile)('python3', ['-B', '-m', 'provider.build', folder], {
    cwd: osworld,
    env: { ...process.env, ...env },
  })
  const provider = new Provider(env)
  return { service, provider, path: await provider.path() }
}
