import type { Rect } from '../../contract/rect.ts'
import { difference } from './difference.ts'
import type { Capture } from './screencap.ts'

/** What those who watch a screen have been told that it shows. */
export class ShownPicture {
  readonly #tell: (changed: readonly Rect[], now: Capture) => void
  #now: Capture | undefined

  constructor(tell: (changed: readonly Rect[], now: Capture) => void) {
    this.#tell = tell
  }

  get now(): Capture | undefined {
    return this.#now
  }

  /**
   * Shows a capture, whose memory it takes. What is in `newer` was shown after the capture had begun, and stays. Tells
   * whether anything became another.
   */
  show(capture: Capture, newer?: Rect): boolean {
    if (newer && this.#now && isOfSize(this.#now, capture)) copyArea(this.#now, capture, newer)
    const changed = difference(this.#now, capture)
    this.#now = capture
    if (changed.length > 0) this.#tell(changed, capture)
    return changed.length > 0
  }

  /** Takes an area over from a picture; nothing where the screen has another size by now. */
  patch(from: Capture, area: Rect): void {
    if (!this.#now || !isOfSize(this.#now, from)) return
    copyArea(from, this.#now, area)
    this.#tell([area], this.#now)
  }

  forget(): void {
    this.#now = undefined
  }
}

function isOfSize(a: Capture, b: Capture): boolean {
  return a.width === b.width && a.height === b.height
}

function copyArea(from: Capture, to: Capture, { x, y, width, height }: Rect): void {
  for (let row = y; row < y + height; row++) {
    const start = 4 * (row * from.width + x)
    to.pixels.set(from.pixels.subarray(start, start + 4 * width), start)
  }
}
