import { setTimeout } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import type { Opened } from './live/browser.ts'
import { typingCpu } from './live/crowd.ts'
import { filmAt, type Guest, scrollAt, wholeFilmAt } from './live/guest.ts'
import type { Rival } from './live/pages.ts'
import { bytesOf } from './live/probe.ts'
import { turns, withSetting } from './live/setting.ts'
import { framesPerSecond, latencies } from './live/watching.ts'
import { cpuPercent } from './processor-time.ts'
import { mean, median, p95, type Row, row } from './row.ts'

const strokes = 60
const clicks = 30
const countMs = 8000

interface Figures {
  readonly key: number[]
  readonly click: number[]
  readonly film: number[]
  readonly scroll: number[]
  readonly wholeFilm: number[]
  readonly page: number[]
  readonly typingBytes: number[]
  readonly scrollBytes: number[]
  readonly filmBytes: number[]
}

const none = (): Figures => ({
  key: [],
  click: [],
  film: [],
  scroll: [],
  wholeFilm: [],
  page: [],
  typingBytes: [],
  scrollBytes: [],
  filmBytes: [],
})

/** The live view in Chromium at 1280x720, compared with noVNC on the same Xtigervnc in the same run. */
export default async function bench(): Promise<Row[]> {
  return withSetting(async ({ service, guest, open }) => {
    await guest.onKey()
    const figures: Record<Rival, Figures> = { ours: none(), noVNC: none() }
    for (const rival of turns) {
      console.error(`live: measuring ${rival}`)
      await measure(figures[rival], guest, () => open(rival))
    }
    await guest.onKey()
    const idle = await idleCpu(service.pid, () => open('ours'))
    return [...rowsOf(figures.ours, figures.noVNC), ...idle, ...(await typingCpu(service))]
  })
}

async function measure(figures: Figures, guest: Guest, open: () => Promise<Opened>): Promise<void> {
  await guest.onKey()
  const { page } = await open()
  await page.mouse.click(600, 300)
  await setTimeout(500)
  const before = await bytesOf(page)
  figures.key.push(...(await latencies(page, strokes, () => page.keyboard.press('k'))))
  figures.typingBytes.push((await bytesOf(page)) - before)
  figures.click.push(...(await latencies(page, clicks, () => page.mouse.click(600, 300))))

  await guest.film(60, 100_000)
  figures.film.push(await framesPerSecond(page, filmAt.squares, countMs))
  await guest.scroll(60, 100_000)
  figures.scroll.push(await framesPerSecond(page, scrollAt, countMs))
  await guest.film(60, 100_000, wholeFilmAt)
  figures.wholeFilm.push(await framesPerSecond(page, wholeFilmAt.squares, countMs))
  await guest.page(60)
  figures.page.push(await framesPerSecond(page, scrollAt, countMs))

  figures.scrollBytes.push(await bytesDuring(page, () => guest.scroll(30, 150), 7000))
  figures.filmBytes.push(await bytesDuring(page, () => guest.film(25, 150), 9000))
  await page.close()
}

/** All bytes received from the start of a program until the screen is at rest. */
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
    of('frames of a film over the whole screen', '/s', ({ wholeFilm }) => mean(wholeFilm)),
    of('frames of a scrolling page over the whole screen', '/s', ({ page }) => mean(page)),
    of('bytes of 60 keystrokes', 'bytes', ({ typingBytes }) => mean(typingBytes)),
    of('bytes of 150 lines of scrolling', 'bytes', ({ scrollBytes }) => mean(scrollBytes)),
    of('bytes of 150 frames of a film', 'bytes', ({ filmBytes }) => mean(filmBytes)),
    of('bytes of typing, scrolling and film', 'bytes', all =>
      mean([...all.typingBytes, ...all.scrollBytes, ...all.filmBytes].map(bytes => 3 * bytes)),
    ),
  ]
}

/** The CPU cost of a viewer of an idle screen. */
async function idleCpu(pid: number, open: () => Promise<Opened>): Promise<Row[]> {
  const without = await cpuPercent(pid, countMs)
  const { page } = await open()
  await setTimeout(3000)
  const idle = await cpuPercent(pid, countMs)
  await page.close()
  return [row('CPU of the service with an idle room, beside none', '% of a core', idle, without)]
}
