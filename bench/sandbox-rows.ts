import { setTimeout } from 'node:timers/promises'
import { Floor, floorAtOnce } from './rivals/floor.ts'
import { median, p95, type Row, row } from './row.ts'
import { type BenchService, withService } from './service.ts'
import { timed } from './timed.ts'

const rounds = 25
const burst = 30
const crowd = 70
const poolRounds = 3
/** Disks are allocated, as by default, and those of all machines and of the prepared ones must fit. */
const diskMiB = 512

/** From the HTTP request until the sandbox is RUNNING, compared with the floor in the same run. */
export async function sandboxRows(root: string): Promise<Row[]> {
  const shapes = [
    { name: 'cold', diskMiB },
    { name: 'warm', warm: 3, diskMiB },
  ]
  const rows = await withService({ shapes }, async service => [
    ...(await beside(service, root)),
    ...(await together(service, root)),
  ])
  return [...rows, ...(await withService({ shapes: [{ warm: burst, diskMiB }] }, fromPool))]
}

/** As many as the pool has, at once: the first creates of a service, and later ones, when its code is compiled. */
async function fromPool(service: BenchService): Promise<Row[]> {
  const ready = async () =>
    Number(/^sandglass_warm_machines_ready\{.*\} (\d+)$/m.exec(await service.metrics())?.[1])
  const times: number[] = []
  for (let round = 0; round <= poolRounds; round++) {
    while ((await ready()) !== burst) await setTimeout(200)
    await setTimeout(3000)
    times.push(await timed(() => Promise.all(Array.from({ length: burst }, () => service.create()))))
    await service.deleteAll()
    await setTimeout(3000)
  }
  const [first = Number.NaN, ...later] = times
  const name = `${burst} from a pool of ${burst} over HTTP at once, until the last is RUNNING`
  return [row(name, 'ms', median(later)), row(`${name}, as the first creates of a service`, 'ms', first)]
}

/** One at a time: the floor, a cold create, and a claim from the warm pool. */
async function beside(service: BenchService, root: string): Promise<Row[]> {
  const [cold, claimed, floors]: [number[], number[], number[]] = [[], [], []]
  for (let round = -3; round < rounds; round++) {
    await setTimeout(1000)
    const floor = await Floor.start(root, service.folder, `floor-http-${process.pid}-${round + 3}`)
    await floor.stop()
    await setTimeout(150)
    const coldTook = await timed(() => service.create('cold'))
    await service.deleteAll()
    await setTimeout(1000)
    const claimTook = await timed(() => service.create('warm'))
    await service.deleteAll()
    if (round < 0) continue
    floors.push(floor.tookMs)
    cold.push(coldTook)
    claimed.push(claimTook)
  }
  return [
    row('sandbox over HTTP, cold to RUNNING p50, beside the floor', 'ms', median(cold), median(floors)),
    row('sandbox over HTTP, cold to RUNNING p95, beside the floor', 'ms', p95(cold), p95(floors)),
    row(
      'sandbox over HTTP, claimed from the pool p50, beside the floor',
      'ms',
      median(claimed),
      median(floors),
    ),
    row('sandbox over HTTP, claimed from the pool p95, beside the floor', 'ms', p95(claimed), p95(floors)),
  ]
}

async function together(service: BenchService, root: string): Promise<Row[]> {
  await floorAtOnce(root, service.folder, burst)
  const floor = await floorAtOnce(root, service.folder, burst)
  // The first time that so many are requested, the engine has fewer roots in stock.
  await Promise.all(Array.from({ length: burst }, () => service.create('cold')))
  await service.deleteAll()
  await setTimeout(10_000)
  const start = performance.now()
  const times = await Promise.all(Array.from({ length: burst }, () => timed(() => service.create('cold'))))
  const whole = performance.now() - start
  await service.deleteAll()
  const growing: number[] = []
  for (let i = 0; i < crowd; i++) growing.push(await timed(() => service.create('cold')))
  await service.deleteAll()
  const [first, last] = [median(growing.slice(0, 10)), median(growing.slice(-10))]
  return [
    row(
      `${burst} creates over HTTP at once, until the last is RUNNING, beside the floor`,
      'ms',
      whole,
      floor,
    ),
    row(`${burst} creates over HTTP at once, p50`, 'ms', median(times)),
    row(`create p50 with ${crowd - 10} running, beside with none`, 'ms', last, first),
  ]
}
