import { setTimeout } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { blockAt } from './guest.ts'

/** How long each action takes until the block has changed its colour. */
export async function latencies(page: Page, rounds: number, act: () => Promise<void>): Promise<number[]> {
  const times: number[] = []
  for (let round = 0; round < rounds; round++) {
    await page.evaluate(({ x, y }) => window.probe.awaitChange(x, y), blockAt)
    await act()
    times.push(await page.evaluate(() => window.probe.change))
    // At random intervals, so that actions do not align with the frames of the screen.
    await setTimeout(60 + ((round * 37) % 50))
  }
  // The first one is a warm-up.
  return times.slice(3)
}

/** The number of different frames per second that are visible in this area. */
export async function framesPerSecond(
  page: Page,
  area: readonly [number, number, number, number],
  ms: number,
): Promise<number> {
  const frames = await page.evaluate(({ ms, area }) => window.probe.countFrames(ms, area), { ms, area })
  return frames / (ms / 1000)
}
