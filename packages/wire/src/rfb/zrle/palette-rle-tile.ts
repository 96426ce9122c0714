import { colourOf } from './palette.ts'
import type { Tile } from './tile.ts'
import type { TileSource } from './tile-source.ts'

/** Subencodings 130 to 255: a palette, then indices, each for one pixel or, with the highest bit set, for a run. */
export function readPaletteRleTile(source: TileSource, tile: Tile, size: number): void {
  if (!source.has(3 * size)) return
  const palette = source.palette(size)
  for (let at = 0; at < tile.pixelCount; ) {
    const index = source.byte()
    const length = index & 128 ? source.runLength(tile.pixelCount) : 1
    if (source.short) return
    tile.fill(at, length, colourOf(palette, index & 127))
    at += length
  }
}
