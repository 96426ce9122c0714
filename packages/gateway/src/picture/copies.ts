import { overlap, pixelsOf } from './areas.ts'
import type { Move } from './moves.ts'

/** A screen that tells more between two pictures does not scroll. */
const mostCopies = 16

/** So much of a copy must have come by the one before; of text that went further than that, next to nothing is left. */
const leastInOne = 0.25

/**
 * What the screen told to have copied since the picture before. Copies that follow each other are one, so that many small
 * scrolls cost what a large one does. Each is a hint and no more: what was drawn in between may have gone with it.
 */
export class Copies {
  #moves: Move[] = []

  add(copy: Move): void {
    const source = { ...copy.area, ...copy.from }
    const at = this.#moves.findIndex(({ area }) => leastInOne * pixelsOf(source) <= common(area, source))
    const [earlier] = at === -1 ? [] : this.#moves.splice(at, 1)
    const move = earlier ? inOne(earlier, copy) : copy
    if (move && this.#moves.length < mostCopies) this.#moves.push(move)
  }

  /** In their order. Leaves none. */
  take(): Move[] {
    const moves = this.#moves
    this.#moves = []
    return moves
  }
}

function common(...[a, b]: Parameters<typeof overlap>): number {
  const area = overlap(a, b)
  return area ? pixelsOf(area) : 0
}

/** What went by both; nothing where it came back to where it was. */
function inOne(first: Move, second: Move): Move | undefined {
  const both = overlap(first.area, { ...second.area, ...second.from })
  if (!both) return
  const from = { x: both.x + first.from.x - first.area.x, y: both.y + first.from.y - first.area.y }
  const [x, y] = [both.x + second.area.x - second.from.x, both.y + second.area.y - second.from.y]
  return from.x === x && from.y === y ? undefined : { area: { ...both, x, y }, from }
}
