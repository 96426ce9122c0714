import { type Area, encodeTile, type TileOp } from '@sandglass/wire/frames'
import { pixelsOf } from './areas.ts'
import type { Drawing, Encoded } from './drawing.ts'
import type { Mirror } from './mirror.ts'
import type { Move } from './moves.ts'
import { pack } from './pack.ts'
import { exactPhoto, roughPhoto } from './photos.ts'
import { tileOfPixels } from './tile-of-pixels.ts'

/** So many pixels of too many colours for a palette are a photo; fewer are sent as they are. */
const leastPhoto = 6 * 64 * 64

/** Moves, then areas as they are in the mirror. Photos come nearly right at first. */
export function encodeChange(mirror: Mirror, moves: readonly Move[], areas: readonly Area[]): Encoded {
  const tiles = areas.map(area => tileOfPixels(mirror, area))
  const { plain, photos } = parted(tiles)
  const rough = new Set(photos.flatMap(({ area }) => [...mirror.cells.under(area)]))
  const ops = [...moves.map(move => ({ op: 'copy', ...move }) as const), ...plain]
  const images = mirror.cells.areasOf(rough).map(area => roughPhoto(mirror, area))
  return { ...encoded(mirror, ops, images), rough: [...rough] }
}

/** Whole cells, exactly. */
export function encodeExactly(mirror: Mirror, cells: readonly number[]): Encoded {
  const tiles = cells.map(cell => tileOfPixels(mirror, mirror.cells.areaOf(cell)))
  const { plain, photos } = parted(tiles)
  const places = photos.flatMap(({ area }) => [...mirror.cells.under(area)])
  const images = mirror.cells.areasOf(places).map(area => exactPhoto(mirror, area))
  return { ...encoded(mirror, plain, images), rough: [] }
}

function parted(tiles: readonly TileOp[]): { plain: readonly TileOp[]; photos: readonly TileOp[] } {
  const photos = tiles.filter(({ op }) => op === 'rgb')
  if (photos.reduce((sum, { area }) => sum + pixelsOf(area), 0) < leastPhoto)
    return { plain: tiles, photos: [] }
  return { plain: tiles.filter(({ op }) => op !== 'rgb'), photos }
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
