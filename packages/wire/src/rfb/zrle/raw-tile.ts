import type { Tile } from './tile.ts'
import type { TileSource } from './tile-source.ts'

/** Subencoding 0: all pixels, uncompressed. */
export function readRawTile(source: TileSource, tile: Tile): void {
  if (!source.has(3 * tile.pixelCount)) return
  for (let y = 0; y < tile.height; y++) {
    const row = tile.row(y)
    for (let x = 0; x < row.length; x++) row[x] = source.colour()
  }
}
