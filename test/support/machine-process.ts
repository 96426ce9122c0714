import { join } from 'node:path'
import { Sandglass } from '@sandglass/client'
import { buildImage } from '@sandglass/machines/images'
import { installMissing, LocalEngine } from '@sandglass/machines/local'
import { patienceMs, waitFor } from '@sandglass/machines/testing'
import { cleanup } from '../../packages/server/src/testing/cleanup.ts'
import { testImages, testShapes } from '../../packages/server/src/testing/test-machines.ts'
import { type Credentials, type ServiceProcess, temporaryFolder } from './service-process.ts'

export interface MachineData {
  /** The data directory. */
  readonly data: string
  /** The settings of a service that runs machines in it. */
  readonly env: Record<string, string>
  /** The engine of its machines, to inspect them. */
  readonly engine: LocalEngine
}

/** Tests write little, and several files of tests share the disk of a host that would be promised to the first of them. */
export const sparseDisks = { SANDGLASS_DISK_OVERCOMMIT: '10' }

/**
 * A data directory for services with real machines that have no network access. All of them are removed after the
 * tests.
 */
export async function machineData(warm = 0): Promise<MachineData> {
  await installMissing()
  await buildImage('minimal', { imagesDir: testImages })
  const data = await temporaryFolder()
  const engine = new LocalEngine({ dataDir: join(data, 'local'), imagesDir: testImages, uplink: 'none' })
  cleanup.defer(() => engine.dismantle())
  const env = {
    SANDGLASS_MACHINES: 'local',
    SANDGLASS_VMS: 'off',
    SANDGLASS_START_TIMEOUT: '120',
    SANDGLASS_UPLINK: 'none',
    SANDGLASS_IMAGES: testImages,
    SANDGLASS_SHAPES: await testShapes(data, warm),
    ...sparseDisks,
  }
  return { data, env, engine }
}

/** Creates sandboxes of a shape and returns their ids when all of them run. */
export async function makeSandboxes(
  credentials: Credentials,
  count: number,
  shape = 'small',
): Promise<string[]> {
  const client = clientOf(credentials)
  const made = await Promise.all(
    Array.from({ length: count }, () => client.createSandbox({ body: { shapeName: shape, wait: 60 } })),
  )
  await waitFor(async () => {
    const statuses = await statusesOf(credentials)
    return made.every(({ id }) => statuses.get(id) === 'RUNNING')
  })
  return made.map(({ id }) => id)
}

/** The status of every sandbox. */
export async function statusesOf(credentials: Credentials): Promise<Map<string, string>> {
  const sandboxes = await Array.fromAsync(clientOf(credentials).all('listSandboxes'))
  return new Map(sandboxes.map(({ id, status }) => [id, status]))
}

/** It waits while the service is busy, as on a host that starts many machines at once. */
function clientOf(credentials: Credentials): Sandglass {
  return new Sandglass({ ...credentials, retries: Number.POSITIVE_INFINITY, timeoutMs: patienceMs })
}

/** Stops a service as an operator would. */
export async function stop(service: ServiceProcess): Promise<void> {
  service.signal('SIGTERM')
  await service.exit()
}

/** The ids of the running machines. */
export async function runningMachines(engine: LocalEngine): Promise<string[]> {
  const running: string[] = []
  for (const { id, handle } of await engine.list())
    if ((await engine.inspect(handle)).status === 'running') running.push(id)
  return running.sort()
}
