import { readFile } from 'node:fs/promises'
import { setTimeout } from 'node:timers/promises'
import { buildImage } from '@sandglass/machines/images'
import { median, p95, type Row, row } from './row.ts'
import { type BenchSandbox, type BenchService, imagesDir, withService } from './service.ts'
import { timed } from './timed.ts'

const clients = 30
const seconds = 30
const warmUpSeconds = 5
const px = (value: number) => ({ type: 'px', value })

interface Figures {
  readonly acts: readonly number[]
  readonly gets: readonly number[]
  readonly cpuPercent: number
  /**
   * The share of pictures whose time from capture to storage is reported. A kill of the service loses only younger
   * ones.
   */
  readonly storedSeconds: number
}

/**
 * Many agents, each with one action per second and a GET of its screenshot, compared with a single encoder thread.
 */
export default async function bench(): Promise<Row[]> {
  await buildImage('desktop', { imagesDir, onProgress: console.error })
  const shapes = [{ image: 'desktop' }]
  // Two of libuv's threads are reserved for other work, so three leave one to the encoders.
  const one = await withService({ shapes, env: { UV_THREADPOOL_SIZE: '3' } }, crowd)
  const all = await withService({ shapes }, crowd)
  const name = `${clients} agents at one action per second, beside one encoder thread`
  return [
    row(`${name}: GET of the screenshot p50`, 'ms', median(all.gets), median(one.gets)),
    row(`${name}: GET of the screenshot p95`, 'ms', p95(all.gets), p95(one.gets)),
    row(`${name}: action p50`, 'ms', median(all.acts), median(one.acts)),
    row(`${name}: action p95`, 'ms', p95(all.acts), p95(one.acts)),
    row(`${name}: capture to storage, p99 at most`, 's', all.storedSeconds, one.storedSeconds),
    row(`${name}: processor of the box`, '%', all.cpuPercent, one.cpuPercent),
  ]
}

async function crowd(service: BenchService): Promise<Figures> {
  const sandboxes: BenchSandbox[] = []
  while (sandboxes.length < clients) sandboxes.push(await service.create())
  await Promise.all(sandboxes.map((sandbox, index) => agent(sandbox, index, warmUpSeconds)))
  const before = await processorTicks()
  const taken = await Promise.all(sandboxes.map((sandbox, index) => agent(sandbox, index, seconds)))
  const after = await processorTicks()
  return {
    acts: taken.flatMap(({ acts }) => acts),
    gets: taken.flatMap(({ gets }) => gets),
    storedSeconds: await storedWithin(service, 0.99),
    cpuPercent: 100 * (1 - (after.idle - before.idle) / (after.all - before.all)),
  }
}

/** The smallest bucket of the service's histogram that covers this share of all pictures. */
async function storedWithin(service: BenchService, share: number): Promise<number> {
  const lines = [
    ...(await service.metrics()).matchAll(/^sandglass_picture_wait_seconds_bucket\{le="(.+)"\} (\d+)$/gm),
  ]
  const buckets = lines.map(([, bound, count]) => ({ bound: Number(bound), count: Number(count) }))
  const all = buckets.at(-1)?.count ?? 0
  return buckets.find(({ count }) => count >= share * all)?.bound ?? Number.NaN
}

/** Acts at a fixed offset in each second, and as soon as possible when late. */
async function agent(sandbox: BenchSandbox, index: number, forSeconds: number) {
  const acts: number[] = []
  const gets: number[] = []
  const start = performance.now() + (1000 * index) / clients
  for (let round = 0; round < forSeconds; round++) {
    await setTimeout(Math.max(0, start + 1000 * round - performance.now()))
    const [x, y] = [100 + ((round * 37 + index * 11) % 900), 100 + ((round * 23) % 500)]
    const action = { type: 'mouse:click', x: px(x), y: px(y), button: 1 }
    let url = ''
    acts.push(
      await timed(async () => {
        const { screenShot = '' } = await sandbox.act({ action })
        url = screenShot
      }),
    )
    gets.push(
      await timed(async () => {
        const answer = await fetch(url)
        if (!answer.ok) throw new Error(`${url}: ${answer.status}`)
        await answer.arrayBuffer()
      }),
    )
  }
  return { acts, gets }
}

async function processorTicks(): Promise<{ readonly idle: number; readonly all: number }> {
  const [first = ''] = (await readFile('/proc/stat', 'utf8')).split('\n')
  const ticks = first.split(/\s+/).slice(1, 9).map(Number)
  return {
    idle: (ticks[3] ?? 0) + (ticks[4] ?? 0),
    all: ticks.reduce((sum, each) => sum + each, 0),
  }
}
