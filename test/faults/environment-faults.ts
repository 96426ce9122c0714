import { execFile } from 'node:child_process'
import { rm, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { waitFor } from '@sandglass/machines/testing'
import { temporaryFolder } from '../support/service-process.ts'
import { smallFileSystem } from '../support/small-file-system.ts'
import { canWatch } from './activities/viewer.ts'
import type { Workload } from './workload.ts'
import { World } from './world.ts'

const run = promisify(execFile)
const hourMs = 3_600_000
/** How often each job is answered while such a fault lasts. */
const rounds = 2

/** What goes wrong around the processes. */
export interface EnvironmentFault {
  readonly name: string
  readonly promisedSeconds: number
  /** A world in which it can come. */
  prepare(): Promise<World>
  /** Settles when it is over. */
  inject(world: World, workload: Workload): Promise<void>
}

/** Covering another one takes one entry. */
export const environmentFaults: readonly EnvironmentFault[] = [
  {
    ...{ name: 'disk full', promisedSeconds: 10 },
    prepare: async () => World.start({ data: await smallFileSystem({ sizeMiB: 8192 }) }),
    inject: (world, workload) => exhausted(world, workload, fillBlocks),
  },
  {
    ...{ name: 'no inodes left', promisedSeconds: 10 },
    prepare: async () => World.start({ data: await smallFileSystem({ sizeMiB: 8192, inodes: 6000 }) }),
    inject: (world, workload) => exhausted(world, workload, fillInodes),
  },
  {
    ...{ name: 'memory of the machine exhausted', promisedSeconds: 2 },
    prepare: () => World.start(),
    inject: hogMemory,
  },
  ...[hourMs, -hourMs].map(offsetMs => ({
    ...{ name: `clock one hour ${offsetMs > 0 ? 'ahead' : 'behind'}`, promisedSeconds: 2 },
    prepare: worldWithClock,
    inject: (world: World, workload: Workload) => shiftClock(world, workload, offsetMs),
  })),
]

/** The service has to say that it is not ready, and to be ready again by itself. */
async function exhausted(
  world: World,
  workload: Workload,
  fill: (folder: string, filler: string) => Promise<void>,
): Promise<void> {
  const { data } = world.installation
  const filler = join(data, 'filler')
  try {
    await fill(data, filler)
    await waitFor(async () => (await readiness(world)) === 503)
    for (let round = 0; round < rounds; round++) await workload.answeredAnew()
    // Written out while there is no room: what was acknowledged must not be among what is lost by that.
    await world.run('sync')
  } finally {
    await rm(filler, { recursive: true, force: true })
  }
  await waitFor(async () => (await readiness(world)) === 200)
}

async function readiness(world: World): Promise<number | 'hung'> {
  const { url } = world.installation.credentials
  return (await world.calls.ask({ what: 'readyz', method: 'GET', path: `${url}/readyz` })).status
}

/** Takes every free block, and those that become free meanwhile. */
async function fillBlocks(folder: string, filler: string): Promise<void> {
  await run('mkdir', [filler])
  for (let number = 0; ; number++) {
    const { bavail, bsize } = await statfs(folder)
    if (bavail === 0) return
    const length = String(Math.max(1, Math.floor(bavail / 2)) * bsize)
    await run('fallocate', ['--length', length, join(filler, String(number))]).catch(() => {})
  }
}

async function fillInodes(folder: string, filler: string): Promise<void> {
  await run('mkdir', [filler])
  // Links would take no inode; an empty file takes one.
  const script = 'n=0; while : > "$0/$n"; do n=$((n + 1)); done'
  await waitFor(async () => {
    await run('sh', ['-c', script, filler]).catch(() => {})
    return (await statfs(folder)).ffree === 0
  })
}

/** Programs in the machine that take memory until the kernel ends them. */
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
