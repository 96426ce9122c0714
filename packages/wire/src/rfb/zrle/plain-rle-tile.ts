import type { Tile } from './tile.ts'
import type { TileSource } from './tile-source.ts'

/** Subencoding 128: pairs of a colour and a run length. */
export function readPlainRleTile(source: TileSource, tile: Tile): void {
  for (let at = 0; at < tile.pixelCount; ) {
    const colour = source.colour()
    const length = source.runLength(tile.pixelCount)
    if (source.short) return
    tile.fill(at, length, colour)
    at += length
  }
}
