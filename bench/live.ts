import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { Connect } from '@sandglass/protocol'
import type { BrowserContext, Page } from 'playwright-core'
import { launchChromium } from '../test/support/chromium.ts'
import { bridgeTo } from './live/bridge.ts'
import { cpuPercent } from './live/cpu.ts'
import { typingCpu } from './live/crowd.ts'
import { blockAt, filmAt, Guest, scrollAt } from './live/guest.ts'
import { type Rival, servePages } from './live/pages.ts'
import { bytesOf, layProbe } from './live/probe.ts'
import { InMachine } from './rivals/in-machine.ts'
import { median, p95, type Row, row } from './row.ts'
import { type BenchSandbox, imagesDir, withService } from './service.ts'

const strokes = 60
const clicks = 30
const countMs = 8000
/** The figures of both are taken by turns, so that whatever else the box does hits both. */
const turns: readonly Rival[] = ['noVNC', 'ours', 'noVNC', 'ours']

interface Figures {
  readonly first: number[]
  readonly key: number[]
  readonly click: number[]
  readonly film: number[]
  readonly scroll: number[]
  readonly typingBytes: number[]
  readonly scrollBytes: number[]
  readonly filmBytes: number[]
}

const none = (): Figures => ({
  ...{ first: [], key: [], click: [], film: [], scroll: [], typingBytes: [], scrollBytes: [], filmBytes: [] },
})

/** The live view in Chromium at 1280x720, beside noVNC on the same Xtigervnc in the same run. */
export default async function bench(): Promise<Row[]> {
  return withService({ shapes: [{ cpus: 2 }] }, async service => {
    await using undo = new AsyncDisposableStack()
    const sandbox = await service.create()
    const [machine] = await InMachine.open(service.folder, imagesDir)
    if (!machine) throw new Error('there is no machine')
    undo.defer(() => machine.close())
    const bridge = await bridgeTo(machine.machine)
    undo.defer(() => bridge.close())
    const pages = await servePages()
    undo.defer(() => pages.close())
    const browser = await openBrowser(undo)
    const guest = new Guest(machine)
    await guest.prepare()
    const figures: Record<Rival, Figures> = { ours: none(), noVNC: none() }
    for (const rival of turns) {
      console.error(`live: measuring ${rival}`)
      await measure(figures[rival], guest, () => open(browser, pages.url(rival), rival, sandbox, bridge.url))
    }
    await guest.stop()
    const idle = await idleCpu(service.pid, () => open(browser, pages.url('ours'), 'ours', sandbox, ''))
    return [...rowsOf(figures.ours, figures.noVNC), ...idle, ...(await typingCpu(service))]
  })
}

async function openBrowser(undo: AsyncDisposableStack): Promise<BrowserContext> {
  const profile = await mkdtemp(join(tmpdir(), 'sandglass-bench-browser-'))
  undo.defer(() => rm(profile, { recursive: true, force: true, maxRetries: 10 }))
  const browser = await launchChromium(profile)
  undo.defer(() => browser.close())
  await layProbe(browser)
  return browser
}

interface Opened {
  readonly page: Page
  readonly firstMs: number
}

async function open(
  browser: BrowserContext,
  url: string,
  rival: Rival,
  sandbox: BenchSandbox,
  bridgeUrl: string,
): Promise<Opened> {
  const page = await browser.newPage()
  await page.setViewportSize({ width: 1280, height: 720 })
  await page.goto(url)
  const target = rival === 'ours' ? await overWebSocket(sandbox) : bridgeUrl
  await page.waitForFunction(() => window.openRival !== undefined)
  const firstMs = await page.evaluate(target => window.probe.firstPicture(target), target)
  await page.waitForFunction(() => window.isReady())
  return { page, firstMs }
}

/** Both go by a WebSocket over loopback, so that no transport makes the difference. */
async function overWebSocket(sandbox: BenchSandbox): Promise<Connect> {
  const { connectDetails } = await sandbox.call('GET', '')
  const details: Connect = connectDetails
  const gatewayAddresses = details.gatewayAddresses.filter(({ gatewayType }) => gatewayType === 'WEBSOCKET')
  return { ...details, gatewayAddresses }
}

async function measure(figures: Figures, guest: Guest, open: () => Promise<Opened>): Promise<void> {
  await guest.onKey()
  const { page, firstMs } = await open()
  figures.first.push(firstMs)
  await page.mouse.click(600, 300)
  await setTimeout(500)
  const before = await bytesOf(page)
  figures.key.push(...(await latencies(page, strokes, () => page.keyboard.press('k'))))
  figures.typingBytes.push((await bytesOf(page)) - before)
  figures.click.push(...(await latencies(page, clicks, () => page.mouse.click(600, 300))))

  await guest.film(60, 100_000)
  figures.film.push(await framesPerSecond(page, filmAt.squares))
  await guest.scroll(60, 100_000)
  figures.scroll.push(await framesPerSecond(page, scrollAt))

  figures.scrollBytes.push(await bytesDuring(page, () => guest.scroll(30, 150), 7000))
  figures.filmBytes.push(await bytesDuring(page, () => guest.film(25, 150), 9000))
  await page.close()
}

async function latencies(page: Page, rounds: number, act: () => Promise<void>): Promise<number[]> {
  const times: number[] = []
  for (let round = 0; round < rounds; round++) {
    await page.evaluate(({ x, y }) => window.probe.awaitChange(x, y), blockAt)
    await act()
    times.push(await page.evaluate(() => window.probe.change))
    // At no fixed distance, lest it falls in with the frames of the screen.
    await setTimeout(60 + ((round * 37) % 50))
  }
  // The first of each warms up.
  return times.slice(3)
}

async function framesPerSecond(page: Page, area: readonly [number, number, number, number]): Promise<number> {
  const frames = await page.evaluate(({ ms, area }) => window.probe.countFrames(ms, area), {
    ms: countMs,
    area,
  })
  return frames / (countMs / 1000)
}

/** All that comes from the beginning of a program until the screen has long been at rest. */
async function bytesDuring(page: Page, begin: () => Promise<void>, ms: number): Promise<number> {
  const before = await bytesOf(page)
  await begin()
  await setTimeout(ms)
  return (await bytesOf(page)) - before
}

function rowsOf(ours: Figures, theirs: Figures): Row[] {
  const of = (name: string, unit: string, figure: (figures: Figures) => number) =>
    row(`${name}, beside noVNC`, unit, figure(ours), figure(theirs))
  return [
    of('key to changed pixel p50', 'ms', ({ key }) => median(key)),
    of('key to changed pixel p95', 'ms', ({ key }) => p95(key)),
    of('click to changed pixel p50', 'ms', ({ click }) => median(click)),
    of('click to changed pixel p95', 'ms', ({ click }) => p95(click)),
    of('frames of a film', '/s', ({ film }) => mean(film)),
    of('frames of scrolling text', '/s', ({ scroll }) => mean(scroll)),
    of('bytes of 60 keystrokes', 'bytes', ({ typingBytes }) => mean(typingBytes)),
    of('bytes of 150 lines of scrolling', 'bytes', ({ scrollBytes }) => mean(scrollBytes)),
    of('bytes of 150 frames of a film', 'bytes', ({ filmBytes }) => mean(filmBytes)),
    of('bytes of typing, scrolling and film', 'bytes', all =>
      mean([...all.typingBytes, ...all.scrollBytes, ...all.filmBytes].map(bytes => 3 * bytes)),
    ),
    of('first picture', 'ms', ({ first }) => median(first)),
  ]
}

/** What a viewer costs who looks at a screen on which nothing happens. */
async function idleCpu(pid: number, open: () => Promise<Opened>): Promise<Row[]> {
  const without = await cpuPercent(pid, countMs)
  const { page } = await open()
  await setTimeout(3000)
  const idle = await cpuPercent(pid, countMs)
  await page.close()
  return [row('CPU of the service with an idle room, beside none', '% of a core', idle, without)]
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}
