import { type Area, overlap, union } from '@sandglass/wire/frames'
import type { Cells } from './cells.ts'

/** Changes nearer to each other than this are one. */
const momentMs = 33

/** An area within a cell, and at how many moments it was told. */
export interface DamagedArea extends Area {
  readonly times: number
}

interface Entry extends DamagedArea {
  readonly moment: number
}

/** What may have changed since it was last looked at: at most one area in a cell, so that it never grows. */
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

  /** Leaves none. */
  take(): DamagedArea[] {
    const areas = [...this.#areas.values()]
    this.#areas = new Map()
    return areas
  }
}
