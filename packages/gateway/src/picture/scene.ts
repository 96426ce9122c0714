import type { Damage as Changed, Frame, Glimpse, Rect } from '@sandglass/machines/contract'
import { contains, overlap, pixelsOf, union } from '@sandglass/wire/frames'
import type { Cells } from './cells.ts'
import { Copies } from './copies.ts'
import { Damage, type DamagedArea } from './damage.ts'
import { Mirror } from './mirror.ts'
import { findMoves, type Move } from './moves.ts'
import type { Pixels } from './pixels.ts'

/** In less than this many pixels it is not worth looking for what moved. */
const leastToMove = 128 * 128

/** After so many looks for moves in vain, one in as many changes is looked at. */
const maxVainLooks = 8

/** What became of the screen between two pictures: the moves first, then each area as the mirror has it. */
export interface Change {
  readonly moves: readonly Move[]
  readonly areas: readonly DamagedArea[]
  /** All that either touched. */
  readonly cells: ReadonlySet<number>
}

/** One screen as long as it keeps its size: as it is, and as it was told. */
export class Scene {
  readonly mirror: Mirror
  #live: Pixels
  readonly #damage: Damage
  readonly #copies = new Copies()
  /** When each cell was last seen to change. */
  readonly #changedAtMs: Float64Array

  #vainLooks = 0
  #pausedLooks = 0

  constructor(frame: Frame) {
    this.mirror = new Mirror(frame)
    this.#live = wordsOf(frame)
    this.#damage = new Damage(this.cells)
    this.#changedAtMs = new Float64Array(this.cells.count).fill(performance.now())
    this.mirror.take({ x: 0, y: 0, width: frame.width, height: frame.height }, this.#live)
  }

  get cells(): Cells {
    return this.mirror.cells
  }

  hasSizeOf({ width, height }: Frame): boolean {
    return width === this.mirror.width && height === this.mirror.height
  }

  holds(area: Rect): boolean {
    return contains({ x: 0, y: 0, width: this.mirror.width, height: this.mirror.height }, area)
  }

  get hasNews(): boolean {
    return !this.#damage.isEmpty
  }

  /** Takes note of what is said to have changed. Costs next to nothing, however much it is. */
  hear(changed: readonly Changed[], frame: Frame): void {
    this.#live = wordsOf(frame)
    const nowMs = performance.now()
    for (const area of changed) this.#damage.add(area, nowMs)
    this.#copies.add(changed.flatMap(({ from, ...area }) => (from ? [{ area, from }] : [])))
  }

  /**
   * Brings the mirror up to what the screen shows now. Servers are generous with what they say has changed, and moves
   * may be wrong where much happened at once: what counts is where the mirror differs after them.
   */
  advance(): Change {
    const nowMs = performance.now()
    const told = this.#moved(this.#copies.take())
    const moves = told.length > 0 ? told : this.#moved(this.#look())
    const cells = new Set<number>()
    for (const { area } of moves) {
      this.#damage.add(area, nowMs)
      for (const cell of this.cells.under(area)) cells.add(cell)
    }
    const areas: DamagedArea[] = []
    for (const area of this.#damage.take()) {
      const changed = this.mirror.take(area, this.#live)
      if (!changed) continue
      areas.push({ ...changed, times: area.times })
      for (const cell of this.cells.under(changed)) cells.add(cell)
    }
    for (const cell of cells) this.#changedAtMs[cell] = nowMs
    return { moves, areas, cells }
  }

  /** Takes over a part of the screen that was seen before what it belongs to is heard of. */
  glimpse({ area, pixels }: Glimpse): Change {
    const nowMs = performance.now()
    const seen = wordsOf({ pixels, ...area })
    const areas: DamagedArea[] = []
    const cells = new Set<number>()
    for (const cell of this.cells.under(area)) {
      const part = overlap(this.cells.areaOf(cell), area)
      const changed = part && this.mirror.take(part, seen, area)
      if (!changed) continue
      areas.push({ ...changed, times: 1 })
      cells.add(cell)
      this.#changedAtMs[cell] = nowMs
    }
    return { moves: [], areas, cells }
  }

  /** What is here may not be on the screen any more, though nobody said so. */
  doubt(areas: readonly Rect[]): void {
    const nowMs = performance.now()
    for (const area of areas) this.#damage.add(area, nowMs)
  }

  restedForMs(cell: number): number {
    return performance.now() - (this.#changedAtMs[cell] ?? 0)
  }

  /** Does what of them brings the mirror nearer to the screen. */
  #moved(moves: readonly Move[]): Move[] {
    return moves.flatMap(move => {
      const best = this.mirror.bestRowsOf(move, this.#live)
      if (best) this.mirror.move(best)
      return best ?? []
    })
  }

  /** Finds what moved. Looks less often where nothing was found time and again: what plays does not scroll. */
  #look(): Move[] {
    const damaged = [...this.#damage.areas()]
    if (damaged.reduce((sum, area) => sum + pixelsOf(area), 0) < leastToMove || this.#pausedLooks-- > 0)
      return []
    const moves = findMoves(this.mirror, this.#live, damaged.reduce(union))
    this.#vainLooks = moves.length > 0 ? 0 : Math.min(this.#vainLooks + 1, maxVainLooks)
    this.#pausedLooks = this.#vainLooks - 1
    return moves
  }
}

function wordsOf({ pixels, width, height }: Pick<Frame, 'pixels' | 'width' | 'height'>): Pixels {
  return { words: new Int32Array(pixels.buffer, pixels.byteOffset, width * height), width }
}
