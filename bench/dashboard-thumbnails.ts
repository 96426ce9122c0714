import { setTimeout } from 'node:timers/promises'
import { buildImage } from '@sandglass/machines/images'
import { processorMs } from './processor-time.ts'
import { type Row, row } from './row.ts'
import { type BenchSandbox, type BenchService, imagesDir, withService } from './service.ts'

const cards = 30
const seconds = 15
const warmUpSeconds = 3

/** Asks for a picture of the screen as a page would. */
type Look = (sandbox: BenchSandbox) => Promise<void>

/**
 * The processor time of the service while a page shows thirty sandboxes, each with a new picture per second: by thumbnails,
 * compared with screenshots.
 */
export default async function bench(): Promise<Row[]> {
  await buildImage('minimal', { imagesDir, onProgress: console.error })
  const shapes = [{ memoryMiB: 512, diskMiB: 256, pids: 256 }]
  return await withService({ shapes, env: { SANDGLASS_DISK_OVERCOMMIT: '10' } }, async service => {
    const sandboxes: BenchSandbox[] = []
    while (sandboxes.length < cards) sandboxes.push(await service.create())
    await onEach(sandboxes, 'xterm -geometry 120x40+20+20 -e "seq 1000; sleep 1000" &')
    const atRest = await compare(service, sandboxes)
    // Twice per second, as a log that is written does.
    await onEach(sandboxes, 'xterm -geometry 120x40+60+60 -e "while :; do seq 30; sleep 0.5; done" &')
    const changing = await compare(service, sandboxes)
    const name = `${cards} thumbnails per second, beside screenshots: processor time of each`
    return [
      row(`${name}, screens at rest`, 'ms', atRest.thumbnails, atRest.screenshots),
      row(`${name}, screens that change`, 'ms', changing.thumbnails, changing.screenshots),
    ]
  })
}

async function onEach(sandboxes: readonly BenchSandbox[], script: string): Promise<void> {
  const body = { executable: 'sh', args: ['-c', `${script} sleep 1`] }
  for (const { id: sandboxId, client } of sandboxes) await client.execSandboxProcess({ sandboxId, body })
}

async function compare(service: BenchService, sandboxes: readonly BenchSandbox[]) {
  return {
    screenshots: await msOf(service, sandboxes, screenshot),
    thumbnails: await msOf(service, sandboxes, newThumbnailLook()),
  }
}

/** The processor time of the service per picture, which is the same on a machine that is too busy for one per second. */
async function msOf({ pid }: BenchService, sandboxes: readonly BenchSandbox[], look: Look): Promise<number> {
  await everySecond(sandboxes, look, warmUpSeconds)
  const before = await processorMs(pid)
  await everySecond(sandboxes, look, seconds)
  return ((await processorMs(pid)) - before) / (seconds * sandboxes.length)
}

/** Looks at a fixed offset in each second, and as soon as possible when late. */
async function everySecond(sandboxes: readonly BenchSandbox[], look: Look, rounds: number): Promise<void> {
  const start = performance.now()
  await Promise.all(
    sandboxes.map(async (sandbox, index) => {
      const offset = start + (1000 * index) / sandboxes.length
      for (let round = 0; round < rounds; round++) {
        await setTimeout(Math.max(0, offset + 1000 * round - performance.now()))
        await look(sandbox)
      }
    }),
  )
}

async function screenshot({ id: sandboxId, client }: BenchSandbox): Promise<void> {
  const { screenShot } = await client.previewSandbox({ sandboxId })
  if (!screenShot) throw new Error('there is no screenshot')
  const response = await fetch(screenShot)
  if (!response.ok) throw new Error(`the screenshot was answered with ${response.status}`)
  await response.arrayBuffer()
}

/** A browser remembers the picture that it has of each sandbox. */
function newThumbnailLook(): Look {
  const tags = new Map<string, string>()
  return async ({ id, url, headers }) => {
    const known = tags.get(id)
    const response = await fetch(`${url}/thumbnail?width=320`, {
      headers: { ...headers, ...(known !== undefined && { 'if-none-match': known }) },
    })
    if (response.status !== 304 && !response.ok)
      throw new Error(`the thumbnail was answered with ${response.status}`)
    tags.set(id, response.headers.get('etag') ?? '')
    await response.arrayBuffer()
  }
}
