import { type Area, overlap, union } from '@sandglass/wire/frames'
import type { Cells } from './cells.ts'

/** Changes within this time count as one. */
const momentMs = 33

/** An area within a cell, and how many separate changes it had. */
export interface DamagedArea extends Area {
  readonly times: number
}

interface Entry extends DamagedArea {
  readonly moment: number
}

/** The areas that may have changed since they were last examined: at most one per cell, so memory is bounded. */
export class Damage {
  readonly #cells: Cells
  #areas = new Map<number, Entry>()

  constructor(cells: Cells) {
    this.#cells = cells
  }

  get isEmpty(): boolean {
    return this.#areas.size === 0
  }

  add(area: Area, nowMs: number): void {
    const moment = Math.floor(nowMs / momentMs)
    for (const cell of this.#cells.under(area)) {
      const part = overlap(this.#cells.areaOf(cell), area)
      if (!part) continue
      const before = this.#areas.get(cell)
      const times = before ? before.times + (before.moment === moment ? 0 : 1) : 1
      this.#areas.set(cell, { ...(before ? union(before, part) : part), times, moment })
    }
  }

  areas(): Iterable<Area> {
    return this.#areas.values()
  }

  /** Returns the areas and clears them. */
  take(): DamagedArea[] {
    const areas = [...this.#areas.values()]
    this.#areas = new Map()
    return areas
  }
}
