import { encodeTile } from '@sandglass/wire/frames'
import type { Mirror } from './mirror.ts'
import { pack } from './pack.ts'
import { tileOfPixels } from './tile-of-pixels.ts'

/** The cells of the screen as they are now, each encoded once for whoever lacks it. */
export class CellCache {
  readonly #mirror: Mirror
  readonly #encoded = new Map<number, Uint8Array>()

  constructor(mirror: Mirror) {
    this.#mirror = mirror
  }

  forget(cell: number): void {
    this.#encoded.delete(cell)
  }

  get(cell: number): Uint8Array {
    const known = this.#encoded.get(cell)
    if (known) return known
    const ops = pack(encodeTile(tileOfPixels(this.#mirror, this.#mirror.cells.areaOf(cell))))
    this.#encoded.set(cell, ops)
    return ops
  }
}
