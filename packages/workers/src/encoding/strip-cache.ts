import type { Place } from '../raw/raw-frame.ts'
import { type PngStrip, pngStrip } from './png-strips.ts'
import { digestOf } from './strip-digest.ts'

interface Known {
  readonly digest: Uint8Array
  png?: PngStrip
}

/** Enough for the strips of some fifty drawn screens. */
const defaultMaxBytes = 24 * 1024 * 1024
/** The size of an entry without a compressed strip, roughly. */
const entryBytes = 256

/** What was computed from the strips of raw frames. The least recently used are dropped. */
export class StripCache {
  readonly #known = new Map<Place, Known>()
  readonly #maxBytes: number
  #bytes = 0

  constructor(maxBytes = defaultMaxBytes) {
    this.#maxBytes = maxBytes
  }

  has(place: Place): boolean {
    return this.#known.has(place)
  }

  digest(place: Place, pixels: () => Uint8Array): Uint8Array {
    return this.#get(place, pixels).digest
  }

  png(place: Place, width: number, pixels: () => Uint8Array): PngStrip {
    const known = this.#get(place, pixels)
    if (known.png) return known.png
    known.png = pngStrip(pixels(), width)
    this.#bytes += known.png.chunk.length
    this.#shrink()
    return known.png
  }

  #get(place: Place, pixels: () => Uint8Array): Known {
    const found = this.#known.get(place)
    const known = found ?? { digest: digestOf(pixels()) }
    if (found) this.#known.delete(place)
    else this.#bytes += entryBytes
    this.#known.set(place, known)
    this.#shrink()
    return known
  }

  #shrink(): void {
    for (const [place, { png }] of this.#known) {
      if (this.#bytes <= this.#maxBytes) return
      this.#known.delete(place)
      this.#bytes -= entryBytes + (png?.chunk.length ?? 0)
    }
  }
}
