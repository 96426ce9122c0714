const longestCopy = 4096
/** Well within what a distance may be (RFC 9649, 3.6.2.2). */
const farthestCopy = 1 << 19

/** Some pixels in a row are looked up by a hash of them; so many make a far copy cheaper than telling them singly. */
const hashed = 6
const leastFar = 7
const hashBits = 16
/** A run this long is taken without a look at the row above. */
const longRun = 256

/**
 * Finds where the pixels ahead occurred before. On drawn screens that is mostly to the left (flat areas) and above
 * (edges, frames), else where the same pixels were seen last (letters), which is looked up in one try.
 */
export class Copies {
  /** How far back is what was found last. */
  distance = 0
  readonly #seen = new Int32Array(1 << hashBits)

  /** Forgets the pixels of another picture. */
  start(): void {
    this.#seen.fill(-1)
  }

  /** How many pixels occurred before, or 0. */
  find(pixels: Int32Array, at: number, count: number, width: number): number {
    const pixel = pixels[at] ?? 0
    const end = Math.min(at + longestCopy, count)
    let length = 0
    let distance = 1
    if (at > 0 && pixels[at - 1] === pixel) length = runLength(pixels, at, end)
    if (length < longRun && at >= width && pixels[at - width] === pixel) {
      const down = sameLength(pixels, at, at - width, end)
      if (down > length) {
        length = down
        distance = width
      }
    }
    this.distance = distance
    return length < leastFar && at + hashed <= end ? this.#findFar(pixels, at, end, length) : length
  }

  #findFar(pixels: Int32Array, at: number, end: number, near: number): number {
    const place = placeOf(pixels, at)
    const from = this.#seen[place] ?? -1
    this.#seen[place] = at
    if (from < 0 || at - from > farthestCopy || pixels[from] !== pixels[at]) return near
    const length = sameLength(pixels, at, from, end)
    // A far distance takes more bits than a near one, which a pixel more does not make up for.
    if (length < leastFar || length < near + 2) return near
    this.distance = at - from
    return length
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
  // Two places that both count are half the work of one and its distance.
  for (let earlier = from + 1; to < end && pixels[to] === pixels[earlier]; earlier++) to++
  return to - at
}

/** The products do not wait for one another, as those of a polynomial would. */
function placeOf(pixels: Int32Array, at: number): number {
  const sum =
    Math.imul(pixels[at] ?? 0, 0x2c1b3c6d) +
    Math.imul(pixels[at + 1] ?? 0, 0x297a2d39) +
    Math.imul(pixels[at + 2] ?? 0, 0x1b56c4e9) +
    Math.imul(pixels[at + 3] ?? 0, 0x7feb352d) +
    Math.imul(pixels[at + 4] ?? 0, 0x5bd1e995) +
    Math.imul(pixels[at + 5] ?? 0, 0x31848bab)
  return (sum ^ (sum >>> 15)) & ((1 << hashBits) - 1)
}
