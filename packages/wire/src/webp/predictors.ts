/** A predictor is chosen for each tile of 16x16 pixels. */
export const tileBits = 4
export const tileSize = 1 << tileBits

/** The predictors that are used (RFC 9649, "Predictor Transform"), as they stand in the picture of tiles: as its green. */
export const predictors = { none: 0 << 8, left: 1 << 8 } as const

/** Every so many rows of a tile are looked at. */
const rowStep = 4
/** How far each channel may be from its left neighbour's in a gradient. */
const smallStep = 4

/**
 * The left pixel in a tile with a gradient: most of its pixels differ from the left one, and little, so that a few small
 * differences tell them all. None in other tiles: what repeats there are exact colours, and differences would only be
 * more of them.
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
