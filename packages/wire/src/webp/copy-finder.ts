const maxCopyLength = 4096
/** Well below the largest distance of the format (RFC 9649, "LZ77 Backward Reference"). */
const maxDistance = 1 << 19
/** Larger than the number of pixels of any picture, so it never matches. */
const unreachable = 1 << 30
const maxRowLength = 1 << 14

/** A run at least this long is used without checking the row above. */
const longRunLength = 256

/** The number of pixels that are hashed for a lookup. */
const hashedPixels = 6
/** A copy from far away that is shorter costs more bits than the pixels themselves. */
const minFarLength = 7
const hashBits = 16
/** The search stops once a copy is at least this long. */
const goodLength = 16

/**
 * Finds earlier occurrences of the next pixels (LZ77). In screenshots these are mostly to the left (flat areas) and
 * above (edges, frames). Otherwise they are as far back as the pixel above was copied from (the next row of a letter or
 * word that occurred before), or at one of the last two positions with the same hash (other letters).
 */
export class CopyFinder {
  /** The last result: the number of pixels, 0 for none, and their distance. */
  length = 0
  distance = 0
  /** The last two positions of each hash. */
  readonly #seen = new Int32Array(2 << hashBits)
  /** The distance that each column was last copied from. */
  readonly #columns = new Int32Array(maxRowLength)

  /** Resets the state for a new picture. */
  start(): void {
    this.#seen.fill(-1)
    this.#columns.fill(unreachable)
  }

  find(pixels: Int32Array, at: number, count: number, width: number): void {
    const end = Math.min(at + maxCopyLength, count)
    this.#findNear(pixels, at, end, width)
    if (this.length < minFarLength && at + hashedPixels <= end) this.#findFar(pixels, at, end, at % width)
  }

  #findNear(pixels: Int32Array, at: number, end: number, width: number): void {
    const pixel = pixels[at]
    let length = 0
    let distance = 1
    if (at > 0 && pixels[at - 1] === pixel) length = runLength(pixels, at, end)
    if (length < longRunLength && at >= width && pixels[at - width] === pixel) {
      const down = sameLength(pixels, at, at - width, end)
      if (down > length) {
        length = down
        distance = width
      }
    }
    this.length = length
    this.distance = distance
  }

  #findFar(pixels: Int32Array, at: number, end: number, column: number): void {
    const near = this.length
    this.#tryCopy(pixels, at, end, at - (this.#columns[column] ?? unreachable))
    const slot = hashOf(pixels, at)
    const last = this.#seen[slot] ?? -1
    const older = this.#seen[slot + 1] ?? -1
    this.#seen[slot] = at
    this.#seen[slot + 1] = last
    if (this.length < goodLength) this.#tryCopy(pixels, at, end, last)
    // If the last position did not match, the hash collided, and the older one rarely matches.
    if (this.length >= minFarLength && this.length < goodLength) this.#tryCopy(pixels, at, end, older)
    if (this.length > near) this.#columns.fill(this.distance, column, column + this.length)
  }

  #tryCopy(pixels: Int32Array, at: number, end: number, from: number): void {
    if (from < 0 || at - from > maxDistance || pixels[from] !== pixels[at]) return
    const length = sameLength(pixels, at, from, end)
    if (length < minFarLength || length <= this.length) return
    this.length = length
    this.distance = at - from
  }
}

function runLength(pixels: Int32Array, at: number, end: number): number {
  const pixel = pixels[at]
  let to = at + 1
  while (to < end && pixels[to] === pixel) to++
  return to - at
}

function sameLength(pixels: Int32Array, at: number, from: number, end: number): number {
  let to = at + 1
  // Advancing two indices is faster than computing one from the distance.
  for (let earlier = from + 1; to < end && pixels[to] === pixels[earlier]; earlier++) to++
  return to - at
}

/** The products are independent, so the processor computes them in parallel, unlike those of a polynomial hash. */
function hashOf(pixels: Int32Array, at: number): number {
  const sum =
    Math.imul(pixels[at] ?? 0, 0x2c1b3c6d) +
    Math.imul(pixels[at + 1] ?? 0, 0x297a2d39) +
    Math.imul(pixels[at + 2] ?? 0, 0x1b56c4e9) +
    Math.imul(pixels[at + 3] ?? 0, 0x7feb352d) +
    Math.imul(pixels[at + 4] ?? 0, 0x5bd1e995) +
    Math.imul(pixels[at + 5] ?? 0, 0x31848bab)
  return ((sum ^ (sum >>> 15)) & ((1 << hashBits) - 1)) * 2
}
