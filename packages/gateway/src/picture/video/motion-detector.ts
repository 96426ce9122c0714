import { type Area, contains, pixelsOf } from '@sandglass/wire/frames'
import type { Cells } from '../cells.ts'
import type { DamagedArea } from '../damage.ts'
import type { Pixels } from '../pixels.ts'
import { tileCost } from '../tile-cost.ts'
import { ChangeRates } from './change-rates.ts'

/**
 * A cell counts as moving when it changes nine times per second for a while. Once it is in a video, it counts as
 * moving until it changes less than five times per second.
 */
const movingRate = 6
const stillMovingRate = 3.5

/** Motion must cover this share of the screen, and this share of the video's area. */
const minShareOfScreen = 0.05
const minShareOfArea = 0.4

/** A video area that is this much larger than the motion in it is replaced by a smaller one. */
const maxAreaRatio = 4

/**
 * A cell takes some tens of bytes per video frame. What takes less than this as a tile is sharper as a tile, at no
 * greater cost.
 */
const minTileBytes = 512

/** Max changes counted per update, since changes while nobody could be shown them are no sign of ongoing motion. */
const maxGrowth = 6

/**
 * Finds the area of a screen that is worth sending as video: where much changes for a while and would otherwise take
 * many bytes. Scrolling text takes few.
 */
export class MotionDetector {
  readonly #cells: Cells
  readonly #changeRates: ChangeRates

  constructor(cells: Cells) {
    this.#cells = cells
    this.#changeRates = new ChangeRates(cells.count)
  }

  /** Counts how often the screen changed, which is more often than it was sent if viewers are slow. */
  add(areas: readonly DamagedArea[], pixels: Pixels, nowMs: number): void {
    for (const area of areas)
      if (tileCost(pixels, area, minTileBytes) >= minTileBytes)
        for (const cell of this.#cells.under(area))
          this.#changeRates.add(cell, Math.min(area.times, maxGrowth), nowMs)
  }

  /** Returns the area for video. The current area is kept for as long as it is suitable. */
  areaNow(filmed: Area | undefined, nowMs: number): Area | undefined {
    const moving = this.#changeRates.atLeast(filmed ? stillMovingRate : movingRate, nowMs)
    if (moving.length < Math.max(1, minShareOfScreen * this.#cells.count * (filmed ? 0.5 : 1))) return
    const bounds = this.#cells.boundsOf(moving)
    if (filmed && contains(filmed, bounds) && pixelsOf(filmed) < maxAreaRatio * pixelsOf(bounds))
      return filmed
    const cellCount = [...this.#cells.under(bounds)].length
    return moving.length >= minShareOfArea * cellCount ? bounds : filmed
  }
}
