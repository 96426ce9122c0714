import { type Area, encodeTile, pixelsOf, type TileOp } from '@sandglass/wire/frames'
import type { Drawing, Encoded } from './drawing.ts'
import { joinTiles } from './join-tiles.ts'
import type { Mirror } from './mirror.ts'
import type { Move } from './moves.ts'
import { pack } from './pack.ts'
import { exactPhoto, roughPhoto } from './photos.ts'
import { paletteTile, rgbTile } from './tiles.ts'

/**
 * At least this many pixels with too many colours for a palette are encoded as a photo. Fewer are sent as raw pixels.
 */
const minPhotoPixels = 6 * 64 * 64

/** Encodes moves, then areas as they are in the mirror. Photos are approximate at first. */
export function encodeChange(mirror: Mirror, moves: readonly Move[], areas: readonly Area[]): Encoded {
  const { tiles, photos } = tilesAndPhotos(mirror, areas)
  const copies = moves.map(move => ({ op: 'copy', ...move }) as const)
  const images = mirror.cells.areasOf(photos).map(area => roughPhoto(mirror, area))
  return { ...encoded(mirror, [...copies, ...tiles], images), rough: [...photos] }
}

/** Encodes whole cells exactly. */
export function encodeExactly(mirror: Mirror, cells: readonly number[]): Encoded {
  const areas = cells.map(cell => mirror.cells.areaOf(cell))
  const { tiles, photos } = tilesAndPhotos(mirror, areas)
  const images = mirror.cells.areasOf(photos).map(area => exactPhoto(mirror, area))
  return { ...encoded(mirror, tiles, images), rough: [] }
}

/** Encodes areas within cells as tiles, and returns the cells that are better sent as photos. */
function tilesAndPhotos(
  mirror: Mirror,
  areas: readonly Area[],
): { tiles: TileOp[]; photos: ReadonlySet<number> } {
  const [tiles, colourful]: [TileOp[], Area[]] = [[], []]
  for (const area of areas) {
    const tile = paletteTile(mirror, area)
    if (tile) tiles.push(tile)
    else colourful.push(area)
  }
  const joined = joinTiles(mirror, tiles)
  if (colourful.reduce((sum, area) => sum + pixelsOf(area), 0) >= minPhotoPixels)
    return { tiles: joined, photos: new Set(colourful.flatMap(area => [...mirror.cells.under(area)])) }
  return { tiles: [...joined, ...colourful.map(area => rgbTile(mirror, area))], photos: new Set() }
}

function encoded(
  { width, height }: Mirror,
  tiles: readonly TileOp[],
  images: readonly Promise<Drawing>[],
): Omit<Encoded, 'rough'> {
  const drawing = (ops: Uint8Array): Drawing => ({ type: 'tiles', width, height, ops })
  const ops = tiles.length > 0 ? pack(Buffer.concat(tiles.map(encodeTile))) : undefined
  const rest = images.length > 0 ? Promise.all(images) : undefined
  if (ops instanceof Promise) return { now: [], later: Promise.all([ops.then(drawing), ...images]) }
  return { now: ops ? [drawing(ops)] : [], later: rest }
}
