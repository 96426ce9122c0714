import { Copies } from './copies.ts'
import { magnitudeOf } from './magnitude.ts'
import { ReusedWords } from './reused-words.ts'

/** How many colours the cache has, as a power of two: 1024 hold nearly all that a drawn screen has at a time. */
export const cacheBits = 10
const cacheShift = 32 - cacheBits

/** Symbols: 256 values of green, then lengths of copies, then places in the cache (RFC 9649, "Entropy-Coded Image Data"). */
export const firstLength = 256
export const firstCached = 280
const distanceSymbols = 40

/** A token below 0 is a copy, its length negated, and the next is its distance; one from here on is a place in the cache. */
export const cachedToken = 1 << 24

/**
 * Distances are told as one of 120 near places, of which two are used, or behind these as they are (RFC 9649, "LZ77
 * Backward Reference").
 */
const above = 1
const left = 2
const nearPlaces = 120

/** Makes a picture into what there is to write, and counts how often each symbol of it will be written. */
export class Tokens {
  readonly green = new Uint32Array(firstCached + (1 << cacheBits))
  readonly red = new Uint32Array(256)
  readonly blue = new Uint32Array(256)
  readonly distance = new Uint32Array(distanceSymbols)
  readonly #cache = new Int32Array(1 << cacheBits)
  readonly #copies = new Copies()
  readonly #memory = new ReusedWords()

  /** The tokens of the first `count` pixels, red, green and blue in 24 bits each. They last until the next picture. */
  read(pixels: Int32Array, count: number, width: number): Int32Array {
    const { green, red, blue, distance } = this
    for (const counts of [green, red, blue, distance]) counts.fill(0)
    const values = this.#memory.atLeast(count)
    const cache = this.#cache.fill(0)
    const copies = this.#copies
    copies.start()
    let told = 0
    let at = 0
    while (at < count) {
      copies.find(pixels, at, count, width)
      const { length } = copies
      if (length > 1) {
        const place = placeAt(copies.distance, width)
        values[told++] = -length
        values[told++] = place
        add(green, firstLength + magnitudeOf(length))
        add(distance, magnitudeOf(place))
        // A run leaves its only colour where it is.
        if (copies.distance > 1) remember(cache, pixels, at, at + length)
        at += length
        continue
      }
      const pixel = pixels[at++] ?? 0
      const place = cachePlace(pixel)
      // The cache has black in every place at first. A first pixel that is told in full keeps green from being empty.
      if (cache[place] === pixel && told > 0) {
        values[told++] = cachedToken + place
        add(green, firstCached + place)
      } else {
        values[told++] = pixel
        cache[place] = pixel
        add(green, (pixel >>> 8) & 0xff)
        add(red, pixel >>> 16)
        add(blue, pixel & 0xff)
      }
    }
    return values.subarray(0, told)
  }
}

/** Where the decoder looks for a colour among those seen last (RFC 9649, "Color Cache Coding"). */
function cachePlace(pixel: number): number {
  return Math.imul(pixel, 0x1e35a7bd) >>> cacheShift
}

/** Whatever was copied is among the colours seen last. */
function remember(cache: Int32Array, pixels: Int32Array, from: number, to: number): void {
  let last = -1
  for (let at = from; at < to; at++) {
    const pixel = pixels[at] ?? 0
    if (pixel === last) continue
    cache[cachePlace(pixel)] = pixel
    last = pixel
  }
}

function placeAt(distance: number, width: number): number {
  if (distance === width) return above
  return distance === 1 ? left : distance + nearPlaces
}

function add(counts: Uint32Array, symbol: number): void {
  counts[symbol] = (counts[symbol] ?? 0) + 1
}
