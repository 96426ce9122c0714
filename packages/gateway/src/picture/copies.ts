import { overlap, pixelsOf } from '@sandglass/wire/frames'
import { joinAreas } from './join-areas.ts'
import type { Move } from './moves.ts'

/** A screen that reports more copies between two pictures is not scrolling. */
const maxCopies = 16

/** What scrolls is divided into fewer parts. More are not worth joining, which takes time for each pair of them. */
const maxParts = 100

/**
 * Two copies are merged only if they share this much of their area. Text that scrolled further than that has mostly
 * left the screen.
 */
const minCommonShare = 0.25

/** A merged copy may be this much larger than its parts, since the pointer cuts holes into what scrolls below it. */
const maxGrowth = 1.1

/**
 * The copies that the screen reported since the last picture. Successive copies are merged, so that many small
 * scrolls cost as much as one large one. Each is only a hint: something may have been drawn in between.
 */
export class Copies {
  #moves: Move[] = []

  /** Adds the copies of one report. */
  add(copies: readonly Move[]): void {
    if (copies.length > maxParts) return
    const alike = Map.groupBy(copies, ({ area, from }) => `${from.x - area.x} ${from.y - area.y}`)
    for (const parts of alike.values()) for (const copy of joinParts(parts)) this.#add(copy)
  }

  /** Returns the copies in order and clears them. */
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

/**
 * Merges copies of the same direction. Those that move down start from the bottom and those that move up from the
 * top, so that none overwrites the source of another.
 */
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

/** Combines two successive copies; returns undefined if they cancel out. */
function inOne(first: Move, second: Move): Move | undefined {
  const both = overlap(first.area, { ...second.area, ...second.from })
  if (!both) return
  const from = { x: both.x + first.from.x - first.area.x, y: both.y + first.from.y - first.area.y }
  const [x, y] = [both.x + second.area.x - second.from.x, both.y + second.area.y - second.from.y]
  return from.x === x && from.y === y ? undefined : { area: { ...both, x, y }, from }
}
