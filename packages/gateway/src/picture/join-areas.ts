import type { Area } from '@sandglass/wire/frames'
import { pixelsOf, union } from './areas.ts'

/** So much more than its parts may a whole be. */
const mostWaste = 1.15

/** Larger ones would be looked at twice for nothing: they seldom have few colours. */
const mostPixels = 32 * 64 * 64

/** Areas that nearly fill the one around them. */
export interface Joined {
  readonly whole: Area
  /** Those of the parts. */
  readonly pixels: number
  readonly parts: readonly Area[]
}

/** Joins areas that are parts of one change and were cut at the borders of cells. */
export function joinAreas(areas: readonly Area[]): Joined[] {
  const single = areas.map(area => ({ whole: area, pixels: pixelsOf(area), parts: [area] }))
  const acrossBorders = joinNeighbours(single.sort((a, b) => a.whole.x - b.whole.x))
  return joinNeighbours(acrossBorders.sort((a, b) => a.whole.y - b.whole.y))
}

/** Each with the first that it fits to. */
function joinNeighbours(all: readonly Joined[]): Joined[] {
  const joined: Joined[] = []
  for (const each of all) {
    const at = joined.findIndex(one => isWorthIt(union(one.whole, each.whole), one.pixels + each.pixels))
    const one = joined[at]
    if (one) joined[at] = inOne(one, each)
    else joined.push(each)
  }
  return joined
}

function isWorthIt(whole: Area, pixels: number): boolean {
  return pixelsOf(whole) <= Math.min(mostPixels, mostWaste * pixels)
}

function inOne(a: Joined, b: Joined): Joined {
  return { whole: union(a.whole, b.whole), pixels: a.pixels + b.pixels, parts: [...a.parts, ...b.parts] }
}
