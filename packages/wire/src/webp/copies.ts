const longestCopy = 4096
/** Well within what a distance may be (RFC 9649, "LZ77 Backward Reference"). */
const farthestCopy = 1 << 19
/** Farther than any picture has pixels. */
const tooFar = 1 << 30
const longestRow = 1 << 14

/** A run this long is taken without a look at the row above. */
const longRun = 256

/** Pixels are looked up by a hash of so many. */
const hashed = 6
/** A far distance takes more bits than fewer pixels than these take singly. */
const leastFar = 7
const hashBits = 16
/** Of a copy this long no better one is looked for. */
const longEnough = 16

/**
 * Finds where the pixels ahead occurred before. On drawn screens that is mostly to the left (flat areas) and above
 * (edges, frames); else as far back as what is above came from (the next row of a letter or a word that was there
 * before), or one of the two places where such pixels were last (other letters).
 */
export class Copies {
  /** What was found last: how many pixels, 0 for none, and how far back they are. */
  length = 0
  distance = 0
  /** The last two places of each hash. */
  readonly #seen = new Int32Array(2 << hashBits)
  /** From how far back each column was copied last. */
  readonly #columns = new Int32Array(longestRow)

  /** Forgets the pixels of another picture. */
  start(): void {
    this.#seen.fill(-1)
    this.#columns.fill(tooFar)
  }

  find(pixels: Int32Array, at: number, count: number, width: number): void {
    const end = Math.min(at + longestCopy, count)
    this.#findNear(pixels, at, end, width)
    if (this.length < leastFar && at + hashed <= end) this.#findFar(pixels, at, end, at % width)
  }

  #findNear(pixels: Int32Array, at: number, end: number, width: number): void {
    const pixel = pixels[at]
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
    this.length = length
    this.distance = distance
  }

  #findFar(pixels: Int32Array, at: number, end: number, column: number): void {
    const near = this.length
    this.#lookAt(pixels, at, end, at - (this.#columns[column] ?? tooFar))
    const place = placeOf(pixels, at)
    const last = this.#seen[place] ?? -1
    const older = this.#seen[place + 1] ?? -1
    this.#seen[place] = at
    this.#seen[place + 1] = last
    if (this.length < longEnough) this.#lookAt(pixels, at, end, last)
    // Where the last was none, the hash is another's too, and the older seldom is one.
    if (this.length >= leastFar && this.length < longEnough) this.#lookAt(pixels, at, end, older)
    if (this.length > near) this.#columns.fill(this.distance, column, column + this.length)
  }

  #lookAt(pixels: Int32Array, at: number, end: number, from: number): void {
    if (from < 0 || at - from > farthestCopy || pixels[from] !== pixels[at]) return
    const length = sameLength(pixels, at, from, end)
    if (length < leastFar || length <= this.length) return
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
  return ((sum ^ (sum >>> 15)) & ((1 << hashBits) - 1)) * 2
}
