import { type Area, encodeTile, pixelsOf, type TileOp } from '@sandglass/wire/frames'
import { joinAreas } from './join-areas.ts'
import type { Pixels } from './pixels.ts'
import { paletteTile } from './tiles.ts'

/** Larger tiles are not joined: their headers cost little, and examining them again costs much. */
const maxPixels = 64 * 24

/** A joined tile may be this much larger than its parts. It is used only if it takes fewer bytes. */
const maxGrowth = 1.3

/**
 * Joins tiles that draw the same in fewer tiles. A line of text, or a block of one colour, starts as one tile per
 * cell that it overlaps.
 */
export function joinTiles(pixels: Pixels, tiles: readonly TileOp[]): TileOp[] {
  const kinds = Map.groupBy(tiles, tile => {
    if (tile.op === 'fill') return `${tile.colour}`
    return 'colours' in tile && pixelsOf(tile.area) <= maxPixels ? 'small' : 'large'
  })
  return [...kinds].flatMap(([kind, alike]) => {
    if (kind === 'large' || alike.length === 1) return alike
    return kind === 'small' ? joinSmall(pixels, alike) : joinFills(alike)
  })
}

function joinFills(fills: readonly TileOp[]): TileOp[] {
  const [first] = fills
  if (first?.op !== 'fill') return [...fills]
  return joinAreas(areasOf(fills), 1).map(({ whole }) => ({ ...first, area: whole }))
}

/** A joined tile may have more colours and so need more bits per pixel. */
function joinSmall(pixels: Pixels, tiles: readonly TileOp[]): TileOp[] {
  const byArea = new Map(tiles.map(tile => [tile.area, tile]))
  return joinAreas([...byArea.keys()], maxGrowth).flatMap(({ whole, parts }) => {
    const apart = parts.flatMap(part => byArea.get(part) ?? [])
    const joined = parts.length > 1 ? paletteTile(pixels, whole) : undefined
    return joined && bytesOf([joined]) <= bytesOf(apart) ? [joined] : apart
  })
}

function areasOf(tiles: readonly TileOp[]): Area[] {
  return tiles.map(({ area }) => area)
}

function bytesOf(tiles: readonly TileOp[]): number {
  return tiles.reduce((sum, tile) => sum + encodeTile(tile).length, 0)
}
