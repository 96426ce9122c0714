import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { LocalEngine } from '../packages/machines/src/engines/local/index.ts'
import { buildImage, imageFolder } from '../packages/machines/src/images/index.ts'
import { Floor, floorAtOnce } from './rivals/floor.ts'
import { median, p95, type Row, row } from './row.ts'
import { sandboxRows } from './sandbox-rows.ts'
import { imagesDir } from './service.ts'
import { timed } from './timed.ts'

const rounds = 25
const burst = 30
/** Disks are allocated, as by default, and twice the burst must fit: the machines and as many prepared ones. */
const spec = { cpus: 1, memoryMiB: 1024, pids: 512, diskMiB: 512 }

/** Runs work with an engine in a temporary directory, without network access, and removes everything afterwards. */
export async function withEngine<T>(work: (engine: LocalEngine, dataDir: string) => Promise<T>): Promise<T> {
  const dataDir = await mkdtemp(join(tmpdir(), 'sandglass-bench-'))
  const engine = new LocalEngine({ dataDir, imagesDir, uplink: 'none' })
  try {
    return await work(engine, dataDir)
  } finally {
    await engine.dismantle()
    await rm(dataDir, { recursive: true, force: true })
  }
}

/**
 * Engines compared with the floor: a shell script with the same runtime, X server and window manager, alternating in
 * the same run.
 */
export default async function bench(): Promise<Row[]> {
  await buildImage('minimal', { imagesDir, onProgress: console.error })
  const rows: Row[] = []
  for (const image of ['minimal', 'desktop']) {
    if (!existsSync(join(imagesDir, await imageFolder(image)))) continue
    rows.push(...(await withEngine((engine, dataDir) => creates(engine, dataDir, image))))
    rows.push(...(await withEngine((engine, dataDir) => crowd(engine, dataDir, image))))
  }
  rows.push(...(await withEngine((engine, dataDir) => execs(engine, dataDir))))
  rows.push(...(await sandboxRows(join(imagesDir, await imageFolder('minimal')))))
  return rows
}

/** The time until a desktop responds. Each begins after the kernel has removed the previous one. */
async function creates(engine: LocalEngine, dataDir: string, image: string): Promise<Row[]> {
  const root = join(imagesDir, await imageFolder(image))
  const [ours, floors, inARow]: [number[], number[], number[]] = [[], [], []]
  // The first two warm up the page cache and the engine.
  for (let round = -2; round < rounds; round++) {
    await engine.prepare(image, spec.diskMiB)
    await setTimeout(150)
    const floor = await Floor.start(root, dataDir, `floor-${process.pid}-${round + 2}`)
    await floor.stop()
    await setTimeout(150)
    const id = `bench-${round + 2}`
    const took = await timed(() => engine.create({ ...spec, image, id }))
    await destroyAll(engine)
    if (round < 0) continue
    ours.push(took)
    floors.push(floor.tookMs)
  }
  // The pool is still being refilled when the next one is requested.
  for (let i = 0; i < 10; i++)
    inARow.push(await timed(() => engine.create({ ...spec, image, id: `row-${i}` })))
  return [
    row(`create ${image} p50, beside the floor`, 'ms', median(ours), median(floors)),
    row(`create ${image} p95, beside the floor`, 'ms', p95(ours), p95(floors)),
    row(`create ${image} p50, ten without a pause, beside the floor`, 'ms', median(inARow), median(floors)),
  ]
}

/**
 * Thirty concurrent creates, and the host memory that they use: the first time that so many are requested, and again
 * when as many roots are in stock. Beside them, the floor for thirty.
 */
async function crowd(engine: LocalEngine, dataDir: string, image: string): Promise<Row[]> {
  await engine.prepare(image)
  // The first desktop pays for what all desktops of an image share.
  await engine.create({ ...spec, image, id: 'first' })
  const root = join(imagesDir, await imageFolder(image))
  await floorAtOnce(root, dataDir, burst)
  const floor = await floorAtOnce(root, dataDir, burst)
  await setTimeout(1000)
  const unexpected = await timed(() =>
    Promise.all(
      Array.from({ length: burst }, (_, i) => engine.create({ ...spec, image, id: `unexpected-${i}` })),
    ),
  )
  await destroyAll(engine)
  await engine.create({ ...spec, image, id: 'first' })
  await engine.prepare(image, spec.diskMiB)
  const before = await availableMiB()
  const times: number[] = []
  const whole = await timed(() =>
    Promise.all(
      Array.from({ length: burst }, async (_, i) => {
        times.push(await timed(() => engine.create({ ...spec, image, id: `burst-${i}` })))
      }),
    ),
  )
  // The programs after the window manager start after a create has returned.
  await setTimeout(2000)
  const each = (before - (await availableMiB())) / burst
  return [
    row(
      `${burst} creates of ${image} at once for the first time, until the last, beside the floor`,
      'ms',
      unexpected,
      floor,
    ),
    row(`${burst} creates of ${image} at once, until the last, beside the floor`, 'ms', whole, floor),
    row(`${burst} creates of ${image} at once, p50`, 'ms', median(times)),
    row(`memory of each further ${image} desktop`, 'MiB', each),
  ]
}

async function execs(engine: LocalEngine, dataDir: string): Promise<Row[]> {
  const root = join(imagesDir, await imageFolder('minimal'))
  const machine = await engine.open(await engine.create({ ...spec, image: 'minimal', id: 'exec' }))
  const floor = await Floor.start(root, dataDir, `floor-${process.pid}-exec`)
  try {
    const [ours, theirs]: [number[], number[]] = [[], []]
    for (let i = 0; i < 40; i++) {
      theirs.push(await floor.exec())
      ours.push(await timed(async () => (await machine.exec({ executable: 'true' })).exited))
    }
    return [
      row('exec round trip p50, beside runc exec', 'ms', median(ours), median(theirs)),
      row('exec round trip p95, beside runc exec', 'ms', p95(ours), p95(theirs)),
    ]
  } finally {
    machine.close()
    await floor.stop()
  }
}

async function destroyAll(engine: LocalEngine): Promise<void> {
  for (const { handle } of await engine.list()) await engine.destroy(handle)
}

export async function availableMiB(): Promise<number> {
  return Number(/^MemAvailable:\s+(\d+)/m.exec(await readFile('/proc/meminfo', 'utf8'))?.[1]) / 1024
}
