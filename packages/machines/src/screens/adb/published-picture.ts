import type { Rect } from '../../contract/rect.ts'
import { difference } from './difference.ts'
import type { Capture } from './screencap.ts'

/** The picture that the watchers of a screen were last sent. */
export class PublishedPicture {
  readonly #publish: (changed: readonly Rect[], now: Capture) => void
  #now: Capture | undefined

  constructor(publish: (changed: readonly Rect[], now: Capture) => void) {
    this.#publish = publish
  }

  get now(): Capture | undefined {
    return this.#now
  }

  /**
   * Publishes a capture and takes ownership of its memory. The area `newer` was published after the capture had
   * begun, so it is kept. Returns whether anything changed.
   */
  show(capture: Capture, newer?: Rect): boolean {
    if (newer && this.#now && isOfSize(this.#now, capture)) copyArea(this.#now, capture, newer)
    const changed = difference(this.#now, capture)
    this.#now = capture
    if (changed.length > 0) this.#publish(changed, capture)
    return changed.length > 0
  }

  /** Copies an area from another picture, unless the screen size has changed since. */
  patch(from: Capture, area: Rect): void {
    if (!this.#now || !isOfSize(this.#now, from)) return
    copyArea(from, this.#now, area)
    this.#publish([area], this.#now)
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
