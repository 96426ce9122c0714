import { type Area, union } from '@sandglass/wire/frames'
import type { Pixels } from './pixels.ts'

/** The content of `area` was previously at `from`. */
export interface Move {
  readonly area: Area
  readonly from: { readonly x: number; readonly y: number }
}

/**
 * A scrolling page may be next to something that stays, such as a scroll bar, so each stripe is examined separately.
 */
const stripeWidth = 64

/** Fewer rows than this are cheap to send as pixels. */
const minRows = 8

/** The height of a line of small text. */
const lineRows = 12

/** Every fourth pixel of a row is enough to find where it may have come from. */
const sampled = 4

/**
 * Finds vertical moves within an area between two pictures, in an order in which none overwrites the source of
 * another.
 */
export function findMoves(before: Pixels, after: Pixels, within: Area): Move[] {
  const hashed = (area: Area): Stripe => ({
    area,
    before: rowHashes(before, area),
    after: rowHashes(after, area),
  })
  const stripes = stripesOf(within).map(hashed)
  const distance = commonDistance(stripes)
  if (distance === 0) return []
  // Moves down start from the bottom, and moves up from the top.
  const order = (a: Move, b: Move) => (distance > 0 ? b.area.y - a.area.y : a.area.y - b.area.y)
  return joined(stripes.flatMap(stripe => movesOf(stripe, distance, before, after))).sort(order)
}

function stripesOf(within: Area): Area[] {
  return Array.from({ length: Math.ceil(within.width / stripeWidth) }, (_, at) => {
    const x = within.x + at * stripeWidth
    return { ...within, x, width: Math.min(stripeWidth, within.x + within.width - x) }
  })
}

/** Joins adjacent moves of neighbouring stripes. */
function joined(moves: readonly Move[]): Move[] {
  const whole: Move[] = []
  for (const move of moves) {
    const at = whole.findIndex(({ area }) => isBeside(area, move.area))
    const left = whole[at]
    if (left) whole[at] = { area: union(left.area, move.area), from: left.from }
    else whole.push(move)
  }
  return whole
}

function isBeside(left: Area, right: Area): boolean {
  return left.x + left.width === right.x && left.y === right.y && left.height === right.height
}

/** One hash per row of a stripe, before and after. */
interface Stripe {
  readonly area: Area
  readonly before: Int32Array
  readonly after: Int32Array
}

function rowHashes({ words, width }: Pixels, area: Area): Int32Array {
  const hashes = new Int32Array(area.height)
  for (let row = 0; row < area.height; row++) {
    const start = (area.y + row) * width + area.x
    let hash = 0x811c9dc5 | 0
    for (let at = start; at < start + area.width; at += sampled)
      hash = Math.imul(hash ^ ((words[at] ?? 0) & 0xffffff), 0x01000193)
    hashes[row] = hash
  }
  return hashes
}

/** The distance down that most recognizable rows moved; 0 if too few moved. */
function commonDistance(stripes: readonly Stripe[]): number {
  const votes = new Map<number, number>()
  for (const stripe of stripes) {
    const [before, after] = [withFollowing(stripe.before), withFollowing(stripe.after)]
    const places = placesOfUnique(before)
    after.forEach((hash, row) => {
      const from = places.get(hash)
      if (from === undefined || from < 0 || after[from] === hash) return
      votes.set(row - from, (votes.get(row - from) ?? 0) + 1)
    })
  }
  const [distance, count] = [...votes].reduce((best, vote) => (vote[1] > best[1] ? vote : best), [0, 0])
  return count >= minRows ? distance : 0
}

/** Hashes each row together with those below it: single rows are often alike, lines of text are not. */
function withFollowing(hashes: Int32Array): Int32Array {
  const whole = new Int32Array(Math.max(0, hashes.length - lineRows + 1))
  for (let row = 0; row < whole.length; row++) {
    let hash = 0
    for (let at = row; at < row + lineRows; at++) hash = Math.imul(hash, 31) ^ (hashes[at] ?? 0)
    whole[row] = hash
  }
  return whole
}

/** The row of each hash, or -1 if several rows have it. */
function placesOfUnique(hashes: Int32Array): Map<number, number> {
  const places = new Map<number, number>()
  hashes.forEach((hash, row) => void places.set(hash, places.has(hash) ? -1 : row))
  return places
}

/** The rows of a stripe that moved down by this distance, merged into few areas. */
function movesOf({ area, ...hashes }: Stripe, distance: number, before: Pixels, after: Pixels): Move[] {
  const moves: Move[] = []
  let rows = 0
  for (let row = 0; row <= area.height; row++) {
    const from = row - distance
    const isMoved =
      row < area.height &&
      from >= 0 &&
      from < area.height &&
      hashes.after[row] === hashes.before[from] &&
      isSameRow(before, area.y + from, after, area.y + row, area)
    if (isMoved) rows++
    else {
      if (rows >= minRows) {
        const y = area.y + row - rows
        moves.push({ area: { ...area, y, height: rows }, from: { x: area.x, y: y - distance } })
      }
      rows = 0
    }
  }
  return moves
}

function isSameRow(before: Pixels, from: number, after: Pixels, to: number, { x, width }: Area): boolean {
  const [start, shift] = [to * after.width + x, from * before.width - to * after.width]
  for (let at = start; at < start + width; at++)
    if ((((after.words[at] ?? 0) ^ (before.words[at + shift] ?? 0)) & 0xffffff) !== 0) return false
  return true
}
