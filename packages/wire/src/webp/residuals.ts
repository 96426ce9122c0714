import { predictorOf, predictors, tileBits, tileSize } from './predictors.ts'

/** By which predictors a picture was made into residuals, as the picture of tiles that tells it. */
export interface Tiles {
  readonly predictors: Int32Array
  readonly width: number
  readonly height: number
}

/**
 * Takes green from red and blue, which makes grey text a matter of one channel, and then from each pixel what its tile's
 * predictor says. What is left has red, green and blue in 24 bits; of opaque pixels no alpha is left.
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
        stepsFromLeft(words, row + x, to, residuals)
      else asTheyAre(words, row + x, to, residuals)
    }
    // Whatever the tile says, the first row is predicted from the left, and the first pixel of each from above.
    const above = y === 0 ? 0 : withoutGreen(words[row - width] ?? 0)
    residuals[row] = difference(withoutGreen(words[row] ?? 0), above)
  }
  return { predictors: tiles, width: across, height: down }
}

function asTheyAre(words: Int32Array, from: number, to: number, residuals: Int32Array): void {
  for (let at = from; at < to; at++) residuals[at] = withoutGreen(words[at] ?? 0)
}

function stepsFromLeft(words: Int32Array, from: number, to: number, residuals: Int32Array): void {
  let left = from > 0 ? withoutGreen(words[from - 1] ?? 0) : 0
  for (let at = from; at < to; at++) {
    const pixel = withoutGreen(words[at] ?? 0)
    residuals[at] = difference(pixel, left)
    left = pixel
  }
}

/** From the word of a pixel, red lowest, to red, green and blue, blue lowest. */
function withoutGreen(word: number): number {
  const green = (word >>> 8) & 0xff
  return (((word - green) & 0xff) << 16) | (word & 0xff00) | (((word >>> 16) - green) & 0xff)
}

/** Channel by channel, each modulo 256: a bit above red and blue is lent to them, what green borrows is masked away. */
function difference(pixel: number, from: number): number {
  const redAndBlue = ((pixel & 0xff00ff) | 0x1000100) - (from & 0xff00ff)
  const green = (pixel & 0xff00) - (from & 0xff00)
  return (redAndBlue & 0xff00ff) | (green & 0xff00)
}
