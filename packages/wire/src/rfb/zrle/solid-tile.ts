import type { Tile } from './tile.ts'
import type { TileSource } from './tile-source.ts'

/** Subencoding 1: one colour. */
export function readSolidTile(source: TileSource, tile: Tile): void {
  const colour = source.colour()
  if (!source.short) tile.fill(0, tile.pixelCount, colour)
}
