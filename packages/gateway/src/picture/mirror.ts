import type { Frame } from '@sandglass/machines/contract'
import type { Area } from '@sandglass/wire/frames'
import { overlap } from './areas.ts'
import { Cells } from './cells.ts'

/** The fourth byte of a pixel may be anything; here it is 255, as in RGBA that is opaque. Hosts are little endian. */
const opaque = 0xff000000

/** The screen as it was last seen. */
export class Mirror {
  readonly cells: Cells
  /** Rows from the top, a word a pixel, whose bytes are red, green, blue and 255. */
  readonly words: Uint32Array<ArrayBuffer>

  /** Black, as the screen of a viewer is at first. */
  constructor(size: { readonly width: number; readonly height: number }) {
    this.cells = new Cells(size)
    this.words = new Uint32Array(size.width * size.height).fill(opaque)
  }

  get width(): number {
    return this.cells.width
  }

  get height(): number {
    return this.cells.height
  }

  hasSizeOf({ width, height }: Frame): boolean {
    return width === this.width && height === this.height
  }

  /**
   * Takes over what is said to have changed, and tells what did: servers are generous with what they say. Each of the areas
   * is within a cell.
   */
  take(changed: readonly Area[], { pixels, width, height }: Frame): Area[] {
    const words = new Uint32Array(pixels.buffer, pixels.byteOffset, width * height)
    const areas: Area[] = []
    for (const area of changed)
      for (const cell of this.cells.under(area)) {
        const part = overlap(this.cells.areaOf(cell), area)
        const taken = part && this.#takeArea(part, words)
        if (taken) areas.push(taken)
      }
    return areas
  }

  #takeArea({ x, y, width, height }: Area, from: Uint32Array): Area | undefined {
    let [left, right, top, bottom] = [x + width, x - 1, -1, -1]
    for (let row = y; row < y + height; row++) {
      const start = row * this.width
      for (let column = x; column < x + width; column++) {
        const word = ((from[start + column] ?? 0) | opaque) >>> 0
        if (word === this.words[start + column]) continue
        this.words[start + column] = word
        if (column < left) left = column
        if (column > right) right = column
        if (top === -1) top = row
        bottom = row
      }
    }
    return top === -1 ? undefined : { x: left, y: top, width: right - left + 1, height: bottom - top + 1 }
  }
}
