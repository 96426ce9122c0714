import type { Tile } from './tile.ts'
import type { TileSource } from './tile-source.ts'

/** Subencoding 1: a single colour. */
export function readSolidTile(source: TileSource, tile: Tile): void {
  const colour = source.colour()
  if (!source.short) tile.fill(0, tile.pixelCount, colour)
}
