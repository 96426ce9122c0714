import type { Damage as Changed, Frame, Glimpse, Rect } from '@sandglass/machines/contract'
import { contains, overlap, pixelsOf, union } from '@sandglass/wire/frames'
import type { Cells } from './cells.ts'
import { Copies } from './copies.ts'
import { Damage, type DamagedArea } from './damage.ts'
import { Mirror } from './mirror.ts'
import { findMoves, type Move } from './moves.ts'
import type { Pixels } from './pixels.ts'

/** In fewer pixels than this, it is not worth searching for moves. */
const minPixelsToMove = 128 * 128

/** After this many failed searches for moves, only one in as many changes is searched. */
const maxFailedSearches = 8

/** The difference between two pictures: first the moves, then the areas as they are in the mirror. */
export interface Change {
  readonly moves: readonly Move[]
  readonly areas: readonly DamagedArea[]
  /** All cells that moves or areas touch. */
  readonly cells: ReadonlySet<number>
}

/** A screen of one size: its current pixels, and the mirror of what viewers were sent. */
export class ScreenState {
  readonly mirror: Mirror
  #live: Pixels
  readonly #damage: Damage
  readonly #copies = new Copies()
  /** When each cell last changed. */
  readonly #changedAtMs: Float64Array

  #failedSearches = 0
  #skippedSearches = 0

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

  /** Records what may have changed. This is cheap, however large the area is. */
  damaged(changed: readonly Changed[], frame: Frame): void {
    this.#live = wordsOf(frame)
    const nowMs = performance.now()
    for (const area of changed) this.#damage.add(area, nowMs)
    this.#copies.add(changed.flatMap(({ from, ...area }) => (from ? [{ area, from }] : [])))
  }

  /**
   * Updates the mirror to the current screen. Servers report more damage than there is, and moves may be wrong if
   * much happened at once, so only the differences that remain after the moves count.
   */
  advance(): Change {
    const nowMs = performance.now()
    const told = this.#moved(this.#copies.take())
    const moves = told.length > 0 ? told : this.#moved(this.#searchMoves())
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

  /** Applies a part of the screen that was seen before its change was reported. */
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

  /** Marks areas for comparison that may no longer match the screen, though no change was reported. */
  suspect(areas: readonly Rect[]): void {
    const nowMs = performance.now()
    for (const area of areas) this.#damage.add(area, nowMs)
  }

  restedForMs(cell: number): number {
    return performance.now() - (this.#changedAtMs[cell] ?? 0)
  }

  /** Applies the moves that bring the mirror closer to the screen. */
  #moved(moves: readonly Move[]): Move[] {
    return moves.flatMap(move => {
      const best = this.mirror.bestRowsOf(move, this.#live)
      if (best) this.mirror.move(best)
      return best ?? []
    })
  }

  /** Searches for moves, and less often after repeated failures: video does not scroll. */
  #searchMoves(): Move[] {
    const damaged = [...this.#damage.areas()]
    if (
      damaged.reduce((sum, area) => sum + pixelsOf(area), 0) < minPixelsToMove ||
      this.#skippedSearches-- > 0
    )
      return []
    const moves = findMoves(this.mirror, this.#live, damaged.reduce(union))
    this.#failedSearches = moves.length > 0 ? 0 : Math.min(this.#failedSearches + 1, maxFailedSearches)
    this.#skippedSearches = this.#failedSearches - 1
    return moves
  }
}

function wordsOf({ pixels, width, height }: Pick<Frame, 'pixels' | 'width' | 'height'>): Pixels {
  return { words: new Int32Array(pixels.buffer, pixels.byteOffset, width * height), width }
}
