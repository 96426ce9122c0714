import { CopyFinder } from './copy-finder.ts'
import { prefixOf } from './length-prefix.ts'
import { ReusedWords } from './reused-words.ts'

/** The size of the colour cache as a power of two: 1024 colours cover nearly all that a screen shows at a time. */
export const cacheBits = 10
const cacheShift = 32 - cacheBits

/** Symbols: 256 values of green, then copy lengths, then cache indices (RFC 9649, "Entropy-Coded Image Data"). */
export const firstLength = 256
export const firstCached = 280
const distanceSymbols = 40

/** A negative token is a copy: its negated length, followed by its distance. Tokens from here on are cache indices. */
export const cachedToken = 1 << 24

/**
 * Distances are encoded as one of 120 nearby positions, of which two are used, or else with this offset (RFC 9649,
 * "LZ77 Backward Reference").
 */
const above = 1
const left = 2
const nearbyPositions = 120

/** Converts a picture to tokens, and counts how often each symbol will be written. */
export class Tokens {
  readonly green = new Uint32Array(firstCached + (1 << cacheBits))
  readonly red = new Uint32Array(256)
  readonly blue = new Uint32Array(256)
  readonly distance = new Uint32Array(distanceSymbols)
  readonly #cache = new Int32Array(1 << cacheBits)
  readonly #copies = new CopyFinder()
  readonly #memory = new ReusedWords()

  /** The tokens of the first `count` pixels, which are 24-bit RGB. They are valid until the next call. */
  read(pixels: Int32Array, count: number, width: number): Int32Array {
    const { green, red, blue, distance } = this
    for (const counts of [green, red, blue, distance]) counts.fill(0)
    const values = this.#memory.atLeast(count)
    const cache = this.#cache.fill(0)
    const copies = this.#copies
    copies.start()
    let tokenCount = 0
    let at = 0
    while (at < count) {
      copies.find(pixels, at, count, width)
      const { length } = copies
      if (length > 1) {
        const place = distanceCode(copies.distance, width)
        values[tokenCount++] = -length
        values[tokenCount++] = place
        increment(green, firstLength + prefixOf(length))
        increment(distance, prefixOf(place))
        // The colour of a run is already in the cache.
        if (copies.distance > 1) addToCache(cache, pixels, at, at + length)
        at += length
        continue
      }
      const pixel = pixels[at++] ?? 0
      const place = cacheIndex(pixel)
      // The cache is initially black. Writing the first pixel as a literal ensures that the green code is not empty.
      if (cache[place] === pixel && tokenCount > 0) {
        values[tokenCount++] = cachedToken + place
        increment(green, firstCached + place)
      } else {
        values[tokenCount++] = pixel
        cache[place] = pixel
        increment(green, (pixel >>> 8) & 0xff)
        increment(red, pixel >>> 16)
        increment(blue, pixel & 0xff)
      }
    }
    return values.subarray(0, tokenCount)
  }
}

/** The cache index of a colour (RFC 9649, "Color Cache Coding"). */
function cacheIndex(pixel: number): number {
  return Math.imul(pixel, 0x1e35a7bd) >>> cacheShift
}

/** Adds copied pixels to the colour cache. */
function addToCache(cache: Int32Array, pixels: Int32Array, from: number, to: number): void {
  let last = -1
  for (let at = from; at < to; at++) {
    const pixel = pixels[at] ?? 0
    if (pixel === last) continue
    cache[cacheIndex(pixel)] = pixel
    last = pixel
  }
}

function distanceCode(distance: number, width: number): number {
  if (distance === width) return above
  return distance === 1 ? left : distance + nearbyPositions
}

function increment(counts: Uint32Array, symbol: number): void {
  counts[symbol] = (counts[symbol] ?? 0) + 1
}
