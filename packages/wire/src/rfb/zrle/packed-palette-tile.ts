import { colourOf } from './palette.ts'
import type { Tile } from './tile.ts'
import type { TileSource } from './tile-source.ts'

/**
 * Subencodings 2 to 16: a palette of that many colours, then packed indices, leftmost in the highest bits. Rows are
 * padded to whole bytes.
 */
export function readPackedPaletteTile(source: TileSource, tile: Tile, size: number): void {
  const bits = size === 2 ? 1 : size <= 4 ? 2 : 4
  const rowBytes = Math.ceil((tile.width * bits) / 8)
  if (!source.has(3 * size + rowBytes * tile.height)) return
  const palette = source.palette(size)
  for (let y = 0; y < tile.height; y++) readRow(source, tile.row(y), palette, bits)
}

function readRow(source: TileSource, row: Uint32Array, palette: Uint32Array, bits: number): void {
  const mask = (1 << bits) - 1
  let packed = 0
  let left = 0
  for (let x = 0; x < row.length; x++) {
    if (left === 0) {
      packed = source.byte()
      left = 8
    }
    left -= bits
    row[x] = colourOf(palette, (packed >> left) & mask)
  }
}
