import type { RawFrame } from '../raw/raw-frame.ts'
import { encodePixels, scale } from './encode.ts'
import { fitted } from './fitted.ts'
import { joinPng, pngStrip } from './png-strips.ts'
import { RawStrips } from './raw-strips.ts'
import { StripCache } from './strip-cache.ts'
import { digestOf, hashOf } from './strip-digest.ts'

export interface DevelopedRaw {
  readonly body: Uint8Array<ArrayBuffer>
  readonly hash: string
}

/**
 * Encodes a frame that waits in a file. What was computed from strips of earlier frames is used again, so the cost is that
 * of what has changed.
 */
export class RawDeveloper {
  readonly #cache: StripCache

  constructor(cache = new StripCache()) {
    this.#cache = cache
  }

  async develop(descriptor: number, frame: RawFrame): Promise<DevelopedRaw> {
    const { format, width, height, longestSide } = frame
    const shown = fitted(frame, longestSide)
    const strips = new RawStrips(descriptor, frame)
    const isScaled = shown.width !== width || shown.height !== height
    // Strips cost more than a whole picture if all of them are new, as on a screen that shows a film.
    const isKnown = this.#knownStrips(frame) * 2 >= frame.strips.length
    const hash = hashOf(
      shown,
      frame.strips.map((place, strip) =>
        strips.hasPointer(strip)
          ? digestOf(strips.pixels(strip))
          : this.#cache.digest(place, () => strips.pixels(strip)),
      ),
    )
    if (format === 'png' && isKnown && !isScaled) return { body: this.#png(strips), hash }
    const whole = { width, height, pixels: strips.whole() }
    return { body: await encodePixels(await scale(whole, shown), format), hash }
  }

  #knownStrips({ strips }: RawFrame): number {
    return strips.filter(place => this.#cache.has(place)).length
  }

  #png(strips: RawStrips): Uint8Array<ArrayBuffer> {
    const { width, height, strips: places } = strips.frame
    const parts = places.map((place, strip) =>
      strips.hasPointer(strip)
        ? pngStrip(strips.pixels(strip), width)
        : this.#cache.png(place, width, () => strips.pixels(strip)),
    )
    return joinPng(width, height, parts)
  }
}
