import { setTimeout } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { blockAt } from './guest.ts'

/** How long each of these takes until the block has changed its colour. */
export async function latencies(page: Page, rounds: number, act: () => Promise<void>): Promise<number[]> {
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

/** Different frames that are seen in this area. */
export async function framesPerSecond(
  page: Page,
  area: readonly [number, number, number, number],
  ms: number,
): Promise<number> {
  const frames = await page.evaluate(({ ms, area }) => window.probe.countFrames(ms, area), { ms, area })
  return frames / (ms / 1000)
}
