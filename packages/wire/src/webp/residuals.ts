import { predictorOf, predictors, tileBits, tileSize } from './predictors.ts'

/** The predictors of all tiles, as the tile image that describes them. */
export interface Tiles {
  readonly predictors: Int32Array
  readonly width: number
  readonly height: number
}

/**
 * Subtracts green from red and blue, which reduces grey text to one channel, and then from each pixel the prediction of
 * its tile. The residuals are 24-bit RGB; opaque pixels need no alpha.
 */
export function takeResiduals(
  words: Int32Array,
  width: number,
  height: number,
  residuals: Int32Array,
): Tiles {
  const across = Math.ceil(width / tileSize)
  const down = Math.ceil(height / tileSize)
  const tiles = new Int32Array(across * down)
  for (let y = 0; y < height; y++) {
    const row = y * width
    const tileRow = (y >>> tileBits) * across
    if (y % tileSize === 0)
      for (let tile = 0; tile < across; tile++)
        tiles[tileRow + tile] = predictorOf(words, width, height, tile * tileSize, y)
    for (let x = 0; x < width; x += tileSize) {
      const to = row + Math.min(x + tileSize, width)
      if (y === 0 || tiles[tileRow + (x >>> tileBits)] === predictors.left)
        predictFromLeft(words, row + x, to, residuals)
      else copyUnpredicted(words, row + x, to, residuals)
    }
    // Regardless of the tile, the first row is predicted from the left and the first pixel of each row from above.
    const above = y === 0 ? 0 : subtractGreen(words[row - width] ?? 0)
    residuals[row] = difference(subtractGreen(words[row] ?? 0), above)
  }
  return { predictors: tiles, width: across, height: down }
}

function copyUnpredicted(words: Int32Array, from: number, to: number, residuals: Int32Array): void {
  for (let at = from; at < to; at++) residuals[at] = subtractGreen(words[at] ?? 0)
}

function predictFromLeft(words: Int32Array, from: number, to: number, residuals: Int32Array): void {
  let left = from > 0 ? subtractGreen(words[from - 1] ?? 0) : 0
  for (let at = from; at < to; at++) {
    const pixel = subtractGreen(words[at] ?? 0)
    residuals[at] = difference(pixel, left)
    left = pixel
  }
}

/** Converts a red-lowest word to blue-lowest RGB with green subtracted from red and blue. */
function subtractGreen(word: number): number {
  const green = (word >>> 8) & 0xff
  return (((word - green) & 0xff) << 16) | (word & 0xff00) | (((word >>> 16) - green) & 0xff)
}

/** Subtracts per channel modulo 256: a bit above red and blue is lent to them, and what green borrows is masked. */
function difference(pixel: number, from: number): number {
  const redAndBlue = ((pixel & 0xff00ff) | 0x1000100) - (from & 0xff00ff)
  const green = (pixel & 0xff00) - (from & 0xff00)
  return (redAndBlue & 0xff00ff) | (green & 0xff00)
}
