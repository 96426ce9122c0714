import type { Area } from '@sandglass/wire/frames'
import { overlap, union } from './areas.ts'
import type { Cells } from './cells.ts'

/** An area within a cell, and how many times it was told. */
export interface DamagedArea extends Area {
  readonly times: number
}

/** What may have changed since it was last looked at: at most one area in a cell, so that it never grows. */
export class Damage {
  readonly #cells: Cells
  #areas = new Map<number, DamagedArea>()

  constructor(cells: Cells) {
    this.#cells = cells
  }

  get isEmpty(): boolean {
    return this.#areas.size === 0
  }

  add(area: Area): void {
    for (const cell of this.#cells.under(area)) {
      const part = overlap(this.#cells.areaOf(cell), area)
      if (!part) continue
      const before = this.#areas.get(cell)
      this.#areas.set(
        cell,
        before ? { ...union(before, part), times: before.times + 1 } : { ...part, times: 1 },
      )
    }
  }

  areas(): Iterable<Area> {
    return this.#areas.values()
  }

  /** Leaves none. */
  take(): DamagedArea[] {
    const areas = [...this.#areas.values()]
    this.#areas = new Map()
    return areas
  }
}
