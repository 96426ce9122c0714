/** One predictor is chosen per tile of 16x16 pixels. */
export const tileBits = 4
export const tileSize = 1 << tileBits

/**
 * The predictors in use (RFC 9649, "Predictor Transform"), as they are encoded in the green channel of the tile image.
 */
export const predictors = { none: 0 << 8, left: 1 << 8 } as const

/** Only every fourth row of a tile is sampled. */
const rowStep = 4
/** The largest difference per channel between neighbours in a gradient. */
const smallStep = 4

/**
 * Predicts from the left pixel in tiles with a gradient: most pixels differ from their left neighbour, but only
 * slightly, so a few small differences describe them all. Other tiles repeat exact colours, and differences would only
 * add more values, so they are not predicted.
 */
export function predictorOf(words: Int32Array, width: number, height: number, x: number, y: number): number {
  const [endX, endY] = [Math.min(x + tileSize, width), Math.min(y + tileSize, height)]
  let [seen, small, large] = [0, 0, 0]
  for (let row = y; row < endY; row += rowStep) {
    let left = words[row * width + x] ?? 0
    for (let at = row * width + x + 1; at < row * width + endX; at++) {
      const word = words[at] ?? 0
      if (word !== left) {
        if (isSmallStep(word, left)) small++
        else large++
      }
      left = word
      seen++
    }
  }
  return small * 5 > seen && small > large * 2 ? predictors.left : predictors.none
}

function isSmallStep(a: number, b: number): boolean {
  return (
    Math.abs((a & 0xff) - (b & 0xff)) <= smallStep &&
    Math.abs(((a >>> 8) & 0xff) - ((b >>> 8) & 0xff)) <= smallStep &&
    Math.abs(((a >>> 16) & 0xff) - ((b >>> 16) & 0xff)) <= smallStep
  )
}
