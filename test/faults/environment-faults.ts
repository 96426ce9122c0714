import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type SmallDisk, smallDisk, waitFor } from '@sandglass/machines/testing'
import { cleanup } from '../../packages/server/src/testing/cleanup.ts'
import { temporaryFolder } from '../support/service-process.ts'
import { canWatch } from './activities/viewer.ts'
import type { Workload } from './workload.ts'
import { ownDisk, World } from './world.ts'

const hourMs = 3_600_000
/** How many responses each job gets while the fault lasts. */
const rounds = 2

/** A fault in the environment of the processes. */
export interface EnvironmentFault {
  readonly name: string
  readonly promisedSeconds: number
  /** Creates a world in which the fault can be injected. */
  prepare(): Promise<World>
  /** Resolves when the fault is over. */
  inject(world: World, workload: Workload): Promise<void>
}

/** Add a fault by adding one entry. */
export const environmentFaults: readonly EnvironmentFault[] = [
  {
    name: 'disk full',
    promisedSeconds: 10,
    prepare: () => worldOnDisk(smallDisk(8192)),
    inject: (world, workload) => exhausted(world, workload, disk => disk.fill()),
  },
  {
    name: 'no inodes left',
    promisedSeconds: 10,
    prepare: () => worldOnDisk(smallDisk(8192, { inodes: 6000 })),
    inject: (world, workload) => exhausted(world, workload, disk => disk.fillInodes()),
  },
  {
    name: 'memory of the machine exhausted',
    promisedSeconds: 2,
    prepare: () => World.start(),
    inject: hogMemory,
  },
  ...[hourMs, -hourMs].map(offsetMs => ({
    name: `clock one hour ${offsetMs > 0 ? 'ahead' : 'behind'}`,
    promisedSeconds: 2,
    prepare: worldWithClock,
    inject: (world: World, workload: Workload) => shiftClock(world, workload, offsetMs),
  })),
]

const disks = new WeakMap<World, SmallDisk>()

async function worldOnDisk(mounting: Promise<SmallDisk>): Promise<World> {
  const disk = await mounting
  cleanup.defer(() => disk.dispose())
  const world = await World.start({ data: disk.folder, env: ownDisk })
  disks.set(world, disk)
  return world
}

/** The service must report that it is not ready, and become ready again by itself. */
async function exhausted(
  world: World,
  workload: Workload,
  fill: (disk: SmallDisk) => Promise<void>,
): Promise<void> {
  const disk = disks.get(world)
  if (!disk) throw new Error('this world is not on a disk of its own')
  try {
    await fill(disk)
    await waitFor(async () => (await readiness(world)) === 503)
    for (let round = 0; round < rounds; round++) await workload.answeredAnew()
    // Flush while the disk is full: what was acknowledged must not be among what is lost by that.
    await world.run('sync')
  } finally {
    await disk.empty()
  }
  await waitFor(async () => (await readiness(world)) === 200)
}

async function readiness(world: World): Promise<number | 'hung'> {
  const { url } = world.installation.credentials
  return (await world.calls.ask({ what: 'readyz', method: 'GET', path: `${url}/readyz` })).status
}

/** Programs in the machine that allocate memory until the kernel kills them. */
async function hogMemory(world: World, workload: Workload): Promise<void> {
  const hog = 'taken = []\nwhile True: taken.append(bytearray(b"x" * (1 << 22)))'
  for (let round = 0; round < rounds; round++) {
    await world.run(`python3 -c '${hog}' 2>/dev/null; true`)
    await workload.answeredAnew()
  }
}

const clockFile = (data: string) => join(data, 'clock')

async function worldWithClock(): Promise<World> {
  const data = await temporaryFolder()
  await writeFile(clockFile(data), '0')
  const preload = new URL('../support/shifted-clock.ts', import.meta.url).href
  const env = { NODE_OPTIONS: `--import=${preload}`, SANDGLASS_TEST_CLOCK_FILE: clockFile(data) }
  return World.start({ data, env })
}

async function shiftClock(world: World, workload: Workload, offsetMs: number): Promise<void> {
  const file = clockFile(world.installation.data)
  await writeFile(file, String(offsetMs))
  try {
    await waitFor(() => canWatch(world))
    for (let round = 0; round < rounds; round++) await workload.answeredAnew()
  } finally {
    await writeFile(file, '0')
  }
}
