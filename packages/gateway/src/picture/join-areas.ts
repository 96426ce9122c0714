import { type Area, pixelsOf, union } from '@sandglass/wire/frames'

/** Areas that nearly fill their bounding area. */
export interface Joined {
  readonly whole: Area
  /** The number of pixels in the parts. */
  readonly pixels: number
  readonly parts: readonly Area[]
}

/**
 * Joins areas that were split at cell borders and so do not overlap. The bounding area may be at most `maxGrowth`
 * times as large as its parts; 1 means that they fill it.
 */
export function joinAreas(areas: readonly Area[], maxGrowth: number): Joined[] {
  const single = areas.map(area => ({ whole: area, pixels: pixelsOf(area), parts: [area] }))
  const acrossBorders = joinNeighbours(
    single.sort((a, b) => a.whole.x - b.whole.x),
    maxGrowth,
  )
  return joinNeighbours(
    acrossBorders.sort((a, b) => a.whole.y - b.whole.y),
    maxGrowth,
  )
}

/** Joins each area with the first one that it fits. */
function joinNeighbours(all: readonly Joined[], maxGrowth: number): Joined[] {
  const joined: Joined[] = []
  for (const each of all) {
    const at = joined.findIndex(
      one => pixelsOf(union(one.whole, each.whole)) <= maxGrowth * (one.pixels + each.pixels),
    )
    const one = joined[at]
    if (one) joined[at] = inOne(one, each)
    else joined.push(each)
  }
  return joined
}

function inOne(a: Joined, b: Joined): Joined {
  return { whole: union(a.whole, b.whole), pixels: a.pixels + b.pixels, parts: [...a.parts, ...b.parts] }
}
