import type { Opened } from './live/browser.ts'
import type { Rival } from './live/pages.ts'
import { withSetting } from './live/setting.ts'
import { median, type Row, row } from './row.ts'

/** The first measurement of each is with a service and a browser that have shown nothing yet. */
const openings = 8

/** The time until a viewer sees the first picture, compared with noVNC on the same Xtigervnc in the same run. */
export default async function bench(): Promise<Row[]> {
  return withSetting(async ({ guest, open }) => {
    await guest.onKey()
    return await firstPictures(open)
  })
}

async function firstPictures(open: (rival: Rival) => Promise<Opened>): Promise<Row[]> {
  const times: Record<Rival, number[]> = { ours: [], noVNC: [] }
  for (let opening = 0; opening < openings; opening++)
    for (const rival of ['noVNC', 'ours'] as const) {
      const { page, firstMs } = await open(rival)
      times[rival].push(firstMs)
      await page.close()
    }
  const { ours, noVNC } = times
  return [
    row('first picture p50, beside noVNC', 'ms', median(ours), median(noVNC)),
    row('first picture of all, beside noVNC', 'ms', ours[0] ?? 0, noVNC[0] ?? 0),
  ]
}
