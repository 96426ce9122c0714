import { setTimeout } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { filmAt, scrollAt } from './live/guest.ts'
import type { LinkShape } from './live/narrow-link.ts'
import type { Rival } from './live/pages.ts'
import { type Setting, turns, withSetting } from './live/setting.ts'
import { framesPerSecond, latencies } from './live/watching.ts'
import { mean, median, type Row, row } from './row.ts'

const countMs = 5000
const clicks = 15

interface Place {
  readonly name: string
  readonly link?: LinkShape
  /** How many times slower the page's CPU is than this box's. */
  readonly slowdown?: number
}

/** Where viewers are: at home, on a train, or at a modest laptop. */
const places: readonly Place[] = [
  { name: '20 Mbit/s and 20 ms', link: { megabitsPerSecond: 20, roundTripMs: 20 } },
  { name: '4 Mbit/s and 60 ms', link: { megabitsPerSecond: 4, roundTripMs: 60 } },
  { name: 'a processor four times slower', slowdown: 4 },
]

interface Figures {
  readonly film: number[]
  readonly scroll: number[]
  readonly click: number[]
}

/** The live view in Chromium on slow links and CPUs, compared with noVNC on the same Xtigervnc. */
export default async function bench(): Promise<Row[]> {
  return withSetting(async setting => {
    const rows: Row[] = []
    for (const place of places) {
      const figures: Record<Rival, Figures> = { ours: none(), noVNC: none() }
      for (const rival of turns) {
        console.error(`live: measuring ${rival} with ${place.name}`)
        await measure(figures[rival], setting, rival, place)
      }
      rows.push(...rowsOf(place, figures.ours, figures.noVNC))
    }
    return rows
  })
}

const none = (): Figures => ({ film: [], scroll: [], click: [] })

async function measure(figures: Figures, { guest, open }: Setting, rival: Rival, place: Place) {
  await guest.filmOverKeys(25)
  const { page } = await open(rival, place.link)
  await slowDown(page, place.slowdown ?? 1)
  // Skip the beginning, such as a change of encoding, which viewers do not see for long.
  await setTimeout(3000)
  figures.click.push(...(await latencies(page, clicks, () => page.mouse.click(100, 500))))
  await guest.film(60, 100_000)
  figures.film.push(await framesPerSecond(page, filmAt.squares, countMs))
  await guest.scroll(60, 100_000)
  figures.scroll.push(await framesPerSecond(page, scrollAt, countMs))
  await page.close()
}

async function slowDown(page: Page, rate: number): Promise<void> {
  const session = await page.context().newCDPSession(page)
  await session.send('Emulation.setCPUThrottlingRate', { rate })
}

function rowsOf({ name }: Place, ours: Figures, theirs: Figures): Row[] {
  return [
    row(`frames of a film with ${name}, beside noVNC`, '/s', mean(ours.film), mean(theirs.film)),
    row(`frames of scrolling text with ${name}, beside noVNC`, '/s', mean(ours.scroll), mean(theirs.scroll)),
    row(
      `click to changed pixel during a film with ${name}, beside noVNC`,
      'ms',
      median(ours.click),
      median(theirs.click),
    ),
  ]
}
