import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { buildImage } from '@sandglass/machines/images'
import type { BrowserContext, Page } from 'playwright-core'
import { launchChromium } from '../test/support/chromium.ts'
import { median, p95, type Row, row } from './row.ts'
import { type BenchService, imagesDir, withService } from './service.ts'

const openings = 7
const built = join(import.meta.dirname, '../apps/dashboard/dist')

/**
 * How long people wait in Chromium: from `/` to the list, beside an empty page of the same service (its JSON of health), and from a card to
 * the first picture, beside one screenshot by the API. Also how much the first page loads.
 */
export default async function bench(): Promise<Row[]> {
  await buildImage('minimal', { imagesDir, onProgress: console.error })
  return await withService({ shapes: [{ memoryMiB: 512, diskMiB: 256, pids: 256 }] }, async service => {
    await using undo = new AsyncDisposableStack()
    const sandbox = await service.create()
    const browser = await openBrowser(undo)
    const apiKey = service.headers['x-api-key'] ?? ''
    await browser.request.post(`${service.url}/api/sessions`, { data: { apiKey } })
    const [list, picture, empty, screenshot]: [number[], number[], number[], number[]] = [[], [], [], []]
    for (let opening = 0; opening < openings; opening++) {
      empty.push(
        await timed(browser, `${service.url}/healthz`, page => page.locator('pre').first().waitFor()),
      )
      const page = await browser.newPage()
      list.push(await took(() => openList(page, service)))
      picture.push(await took(() => openSandbox(page)))
      await page.close()
      screenshot.push(await took(() => sandbox.act({ action: { type: 'screenshot' }, includeImage: true })))
    }
    return [
      row('dashboard: from / to the list, beside a page of text', 'ms', median(list), median(empty)),
      row(
        'dashboard: from a card to the first picture, beside a screenshot',
        'ms',
        median(picture),
        median(screenshot),
      ),
      row(
        'dashboard: p95 of frames while 500 sandboxes scroll, beside a page at rest',
        'ms',
        ...(await frames(browser, service)),
      ),
      row(
        'dashboard: first page, compressed (at most 250)',
        'kB',
        (await firstPageBytes(browser, service.url)) / 1000,
      ),
    ]
  })
}

async function openList(page: Page, { url }: BenchService): Promise<void> {
  await page.goto(url)
  await page.getByRole('article').first().waitFor()
}

/** Until the canvas of the live view has something on it. */
async function openSandbox(page: Page): Promise<void> {
  await page.getByRole('article').first().getByRole('link').click()
  await page.locator('canvas').first().waitFor()
  await page.waitForFunction(() => {
    const canvas = document.querySelector('canvas')
    const pixels = canvas?.getContext('2d')?.getImageData(0, 0, canvas.width, 1).data
    return pixels?.some(value => value > 0) ?? (canvas?.width ?? 0) > 300
  })
}

/** How long frames take while the list scrolls, and on a page on which nothing happens. */
async function frames(browser: BrowserContext, { url, client }: BenchService): Promise<[number, number]> {
  const [one] = await client.listSandboxes()
  const many = Array.from({ length: 500 }, (_, index) => ({ ...one, id: `many-${index}`, status: 'STOPPED' }))
  const page = await browser.newPage()
  await page.route('**/api/orgs/*/sandboxes', route => route.fulfill({ json: many }))
  await page.goto(url)
  await page.getByRole('article').first().waitFor()
  const scrolling = p95(await page.evaluate(frameTimes, 40))
  await page.goto(`${url}/healthz`)
  const atRest = p95(await page.evaluate(frameTimes, 0))
  await page.close()
  return [scrolling, atRest]
}

/** Runs in the page. */
async function frameTimes(step: number): Promise<number[]> {
  const times: number[] = []
  let last = performance.now()
  for (let frame = 0; frame < 200; frame++) {
    document.querySelector('main')?.scrollBy(0, step)
    const now = await new Promise<number>(resolve => requestAnimationFrame(resolve))
    times.push(now - last)
    last = now
  }
  return times
}

/** What is loaded for the list, as a proxy that compresses would send it. */
async function firstPageBytes(browser: BrowserContext, url: string): Promise<number> {
  const page = await browser.newPage()
  const files = new Set<string>()
  page.on('request', request => {
    const { pathname } = new URL(request.url())
    if (pathname.startsWith('/assets/')) files.add(pathname)
  })
  await page.goto(url)
  await page.getByRole('article').first().waitFor()
  await page.close()
  const sizes = await Promise.all(
    [...files].map(async file => gzipSync(await readFile(join(built, file))).length),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}

async function timed(
  browser: BrowserContext,
  url: string,
  ready: (page: Page) => Promise<void>,
): Promise<number> {
  const page = await browser.newPage()
  const ms = await took(async () => {
    await page.goto(url)
    await ready(page)
  })
  await page.close()
  return ms
}

async function took(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

async function openBrowser(undo: AsyncDisposableStack): Promise<BrowserContext> {
  const profile = await mkdtemp(join(tmpdir(), 'sandglass-bench-browser-'))
  undo.defer(() => rm(profile, { recursive: true, force: true, maxRetries: 10 }))
  const browser = await launchChromium(profile)
  undo.defer(() => browser.close())
  return browser
}
