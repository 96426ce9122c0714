import { type Area, contains, pixelsOf } from '@sandglass/wire/frames'
import type { Cells } from '../cells.ts'
import type { DamagedArea } from '../damage.ts'
import type { Pixels } from '../pixels.ts'
import { tileCost } from '../tile-cost.ts'
import { Heat } from './heat.ts'

/**
 * A cell moves that changes nine times a second for a while. Once it is filmed, it is so until it changes less than five times.
 */
const movingHeat = 6
const stillMovingHeat = 3.5

/** So much of the screen must move to be filmed, and this of the area that is. */
const leastOfScreen = 0.05
const leastOfArea = 0.4

/** An area that is so much larger than what moves in it is given up for a smaller one. */
const tooLarge = 4

/** A cell of a film takes some tens of bytes a picture. What takes less than this as a tile is sharper so, and costs no more. */
const leastCost = 512

/** What changed while nobody could be shown it is no sign that it still does. */
const maxTimes = 6

/** Finds what of a screen is worth filming: where much changes for a while that takes many bytes otherwise. Text that follows text takes few. */
export class Motion {
  readonly #cells: Cells
  readonly #heat: Heat

  constructor(cells: Cells) {
    this.#cells = cells
    this.#heat = new Heat(cells.count)
  }

  /** Counts how often the screen changed, which is more often than it was shown where viewers are slow. */
  add(areas: readonly DamagedArea[], pixels: Pixels, nowMs: number): void {
    for (const area of areas)
      if (tileCost(pixels, area, leastCost) >= leastCost)
        for (const cell of this.#cells.under(area))
          this.#heat.add(cell, Math.min(area.times, maxTimes), nowMs)
  }

  /** The area, which stays the one that is filmed now for as long as it will do. */
  areaNow(filmed: Area | undefined, nowMs: number): Area | undefined {
    const moving = this.#heat.atLeast(filmed ? stillMovingHeat : movingHeat, nowMs)
    if (moving.length < Math.max(1, leastOfScreen * this.#cells.count * (filmed ? 0.5 : 1))) return
    const bounds = this.#cells.boundsOf(moving)
    if (filmed && contains(filmed, bounds) && pixelsOf(filmed) < tooLarge * pixelsOf(bounds)) return filmed
    const cellCount = [...this.#cells.under(bounds)].length
    return moving.length >= leastOfArea * cellCount ? bounds : filmed
  }
}
