import { RfbError } from '../rfb-error.ts'
import { readPackedPaletteTile } from './packed-palette-tile.ts'
import { readPaletteRleTile } from './palette-rle-tile.ts'
import { readPlainRleTile } from './plain-rle-tile.ts'
import { readRawTile } from './raw-tile.ts'
import { readSolidTile } from './solid-tile.ts'
import type { Tile } from './tile.ts'
import type { TileSource } from './tile-source.ts'

/**
 * Reads a tile by its subencoding (RFC 6143, 7.7.6). If the source becomes short, it must be called again with more
 * bytes.
 */
export function readTile(source: TileSource, tile: Tile): void {
  const subencoding = source.byte()
  if (source.short) return
  if (subencoding === 0) readRawTile(source, tile)
  else if (subencoding === 1) readSolidTile(source, tile)
  else if (subencoding <= 16) readPackedPaletteTile(source, tile, subencoding)
  else if (subencoding === 128) readPlainRleTile(source, tile)
  else if (subencoding >= 130) readPaletteRleTile(source, tile, subencoding - 128)
  else
    throw new RfbError(
      'MALFORMED',
      `a ZRLE tile has subencoding ${subencoding}, which RFC 6143 leaves unused`,
    )
}
