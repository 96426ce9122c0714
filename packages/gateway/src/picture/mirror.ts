import type { Area } from '@sandglass/wire/frames'
import { Cells } from './cells.ts'
import type { Move } from './moves.ts'
import type { Pixels } from './pixels.ts'

/** The fourth byte of a pixel may be anything on a screen; here it is 255, as in RGBA that is opaque. */
const opaque = 0xff000000 | 0

/** So many of an area tell what all of it is like. */
const [sampledRows, sampledColumns] = [96, 64]

/** The screen as those have it who are not behind. */
export class Mirror implements Pixels {
  readonly cells: Cells
  readonly words: Int32Array<ArrayBuffer>

  /** Black, as the screen of a viewer is at first. */
  constructor(size: { readonly width: number; readonly height: number }) {
    this.cells = new Cells(size)
    this.words = new Int32Array(size.width * size.height).fill(opaque)
  }

  get width(): number {
    return this.cells.width
  }

  get height(): number {
    return this.cells.height
  }

  /**
   * Takes over what the screen has in an area, and tells where that was something else. The pixels begin at the corner of
   * the screen, or at another place of it.
   */
  take(
    { x, y, width, height }: Area,
    { words: from, width: stride }: Pixels,
    corner = { x: 0, y: 0 },
  ): Area | undefined {
    let [left, right, top, bottom] = [x + width, x - 1, -1, -1]
    for (let row = y; row < y + height; row++) {
      const start = row * this.width
      const shift = (row - corner.y) * stride - corner.x - start
      for (let column = x; column < x + width; column++) {
        const word = (from[start + shift + column] ?? 0) | opaque
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

  /** Whether a move makes more of its area what the screen has there than is so without it, in a sample of its pixels. */
  gainsBy({ area, from }: Move, { words }: Pixels): boolean {
    const [down, right] = [Math.ceil(area.height / sampledRows), Math.ceil(area.width / sampledColumns)]
    const moved = (from.y - area.y) * this.width + from.x - area.x
    let gain = 0
    for (let row = area.y; row < area.y + area.height; row += down)
      for (let column = area.x; column < area.x + area.width; column += right) {
        const at = row * this.width + column
        const word = (words[at] ?? 0) | opaque
        if (word === this.words[at + moved]) gain++
        if (word === this.words[at]) gain--
      }
    return gain > 0
  }

  /** Does what a viewer does who is sent it. */
  move({ area, from }: Move): void {
    for (let step = 0; step < area.height; step++) {
      const row = from.y < area.y ? area.height - 1 - step : step
      const start = (from.y + row) * this.width + from.x
      this.words.copyWithin((area.y + row) * this.width + area.x, start, start + area.width)
    }
  }
}
