import { overlap, pixelsOf } from '@sandglass/wire/frames'
import { joinAreas } from './join-areas.ts'
import type { Move } from './moves.ts'

/** A screen that tells more between two pictures does not scroll. */
const maxCopies = 16

/** So much must two have in common to be one; of text that went further than that, next to nothing is left. */
const minCommonShare = 0.25

/** A copy may be so many times its parts: the pointer cuts out of what scrolls below it what is not told as copied. */
const maxGrowth = 1.1

/**
 * What the screen told to have copied since the picture before. Copies that follow each other are one, so that many small
 * scrolls cost what a large one does. Each is a hint and no more: what was drawn in between may have gone with it.
 */
export class Copies {
  #moves: Move[] = []

  /** What was told at once. */
  add(copies: readonly Move[]): void {
    const alike = Map.groupBy(copies, ({ area, from }) => `${from.x - area.x} ${from.y - area.y}`)
    for (const parts of alike.values()) for (const copy of joinParts(parts)) this.#add(copy)
  }

  /** In their order. Leaves none. */
  take(): Move[] {
    const moves = this.#moves
    this.#moves = []
    return moves
  }

  #add(copy: Move): void {
    const at = this.#moves.findIndex(earlier => isContinued(earlier, copy))
    const [earlier] = at === -1 ? [] : this.#moves.splice(at, 1)
    const move = earlier ? inOne(earlier, copy) : copy
    if (move && this.#moves.length < maxCopies) this.#moves.push(move)
  }
}

/** Those that go the same way. What goes down goes from the bottom, and what goes up from the top. */
function joinParts(parts: readonly Move[]): Move[] {
  const [first] = parts
  if (!first) return []
  const [right, down] = [first.from.x - first.area.x, first.from.y - first.area.y]
  const areas = joinAreas(
    parts.map(({ area }) => area),
    maxGrowth,
  )
  const moves = areas.map(({ whole }) => ({ area: whole, from: { x: whole.x + right, y: whole.y + down } }))
  return down < 0 ? moves.reverse() : moves
}

function isContinued(first: Move, second: Move): boolean {
  const both = overlap(first.area, { ...second.area, ...second.from })
  return (
    both !== undefined &&
    pixelsOf(both) >= minCommonShare * Math.max(pixelsOf(first.area), pixelsOf(second.area))
  )
}

/** What went by both; nothing where it came back to where it was. */
function inOne(first: Move, second: Move): Move | undefined {
  const both = overlap(first.area, { ...second.area, ...second.from })
  if (!both) return
  const from = { x: both.x + first.from.x - first.area.x, y: both.y + first.from.y - first.area.y }
  const [x, y] = [both.x + second.area.x - second.from.x, both.y + second.area.y - second.from.y]
  return from.x === x && from.y === y ? undefined : { area: { ...both, x, y }, from }
}
