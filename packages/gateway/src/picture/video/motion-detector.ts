import { type Area, holds, pixelsOf } from '@sandglass/wire/frames'
import type { Cells } from '../cells.ts'
import type { DamagedArea } from '../damage.ts'
import type { Pixels } from '../pixels.ts'
import { tileCost } from '../tile-cost.ts'
import { ChangeRates } from './change-rates.ts'

/**
 * A cell moves that changes nine times a second for a while. Once it is filmed, it is so until it changes less than five times.
 */
const movingRate = 6
const stillMovingRate = 3.5

/** So much of the screen must move to be filmed, and this of the area that is. */
const minShareOfScreen = 0.05
const minShareOfArea = 0.4

/** An area that is so much larger than what moves in it is given up for a smaller one. */
const maxAreaRatio = 4

/** A cell of a film takes some tens of bytes a picture. What takes less than this as a tile is sharper so, and costs no more. */
const minTileBytes = 512

/** What changed while nobody could be shown it is no sign that it still does. */
const maxGrowth = 6

/** Finds what of a screen is worth filming: where much changes for a while that takes many bytes otherwise. Text that follows text takes few. */
export class MotionDetector {
  readonly #cells: Cells
  readonly #changeRates: ChangeRates

  constructor(cells: Cells) {
    this.#cells = cells
    this.#changeRates = new ChangeRates(cells.count)
  }

  /** Counts how often the screen changed, which is more often than it was shown where viewers are slow. */
  add(areas: readonly DamagedArea[], pixels: Pixels, nowMs: number): void {
    for (const area of areas)
      if (tileCost(pixels, area, minTileBytes) >= minTileBytes)
        for (const cell of this.#cells.under(area))
          this.#changeRates.add(cell, Math.min(area.times, maxGrowth), nowMs)
  }

  /** The area, which stays the one that is filmed now for as long as it will do. */
  areaNow(filmed: Area | undefined, nowMs: number): Area | undefined {
    const moving = this.#changeRates.atLeast(filmed ? stillMovingRate : movingRate, nowMs)
    if (moving.length < Math.max(1, minShareOfScreen * this.#cells.count * (filmed ? 0.5 : 1))) return
    const bounds = this.#cells.boundsOf(moving)
    if (filmed && holds(filmed, bounds) && pixelsOf(filmed) < maxAreaRatio * pixelsOf(bounds)) return filmed
    const cellCount = [...this.#cells.under(bounds)].length
    return moving.length >= minShareOfArea * cellCount ? bounds : filmed
  }
}
