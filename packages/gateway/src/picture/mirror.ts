import type { Area } from '@sandglass/wire/frames'
import { Cells } from './cells.ts'
import type { Move } from './moves.ts'
import type { Pixels } from './pixels.ts'

/** The fourth byte of a screen's pixel is undefined; here it is always 255, as in opaque RGBA. */
const opaque = 0xff000000 | 0

/** This many pixels of a row are enough to judge it. */
const sampledColumns = 64

/** The screen as up-to-date viewers have it. */
export class Mirror implements Pixels {
  readonly cells: Cells
  readonly words: Int32Array<ArrayBuffer>

  /** Black at first, as in a viewer. */
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
   * Copies an area of the screen, and returns the bounds of what differed. The pixels start at the top left of the
   * screen, or at `corner`.
   */
  take(
    { x, y, width, height }: Area,
    { words: from, width: stride }: Pixels,
    corner = { x: 0, y: 0 },
  ): Area | undefined {
    const end = x + width
    let [left, right, top, bottom] = [end, x - 1, -1, -1]
    for (let row = y; row < y + height; row++) {
      const start = row * this.width
      const shift = (row - corner.y) * stride - corner.x - start
      let first = x
      while (first < end && ((from[start + shift + first] ?? 0) | opaque) === this.words[start + first])
        first++
      if (first === end) continue
      let last = end - 1
      while (((from[start + shift + last] ?? 0) | opaque) === this.words[start + last]) last--
      for (let at = start + first; at <= start + last; at++) this.words[at] = (from[at + shift] ?? 0) | opaque
      if (first < left) left = first
      if (last > right) right = last
      if (top === -1) top = row
      bottom = row
    }
    return top === -1 ? undefined : { x: left, y: top, width: right - left + 1, height: bottom - top + 1 }
  }

  /** The rows of a move that match the screen best; undefined if the move brings no row closer to it. */
  bestRowsOf({ area, from }: Move, { words }: Pixels): Move | undefined {
    // An odd step, so that the samples do not align with the letters of a terminal.
    const step = Math.ceil(area.width / sampledColumns) | 1
    const moved = (from.y - area.y) * this.width + from.x - area.x
    let [gain, begin] = [0, 0]
    const best = { gain: 0, top: 0, height: 0 }
    for (let row = 0; row < area.height; row++) {
      if (gain <= 0) [gain, begin] = [0, row]
      const start = (area.y + row) * this.width + area.x
      for (let at = start; at < start + area.width; at += step) {
        const word = (words[at] ?? 0) | opaque
        if (word === this.words[at + moved]) gain++
        if (word === this.words[at]) gain--
      }
      if (gain > best.gain) Object.assign(best, { gain, top: begin, height: row + 1 - begin })
    }
    if (best.gain === 0) return
    const { top, height } = best
    return { area: { ...area, y: area.y + top, height }, from: { x: from.x, y: from.y + top } }
  }

  /** Applies a move, as a viewer does. */
  move({ area, from }: Move): void {
    for (let step = 0; step < area.height; step++) {
      const row = from.y < area.y ? area.height - 1 - step : step
      const start = (from.y + row) * this.width + from.x
      this.words.copyWithin((area.y + row) * this.width + area.x, start, start + area.width)
    }
  }
}
