import type { Framebuffer } from '@sandglass/wire/rfb'
import type { Rect } from '../../contract/rect.ts'

/** QEMU reports changes in units of this many pixels of a row, so a request for one pixel is answered with as many. */
const maxWidth = 16

/** Remembers the pixels at the top left corner, which are requested again and again in order to catch up. */
export class FirstPixels {
  #before = new Uint8Array(0)

  /** Whether an update is nothing but these pixels, in the colours that they had after the last update. */
  isRepeated(rects: readonly Rect[], { width, pixels }: Framebuffer): boolean {
    const now = pixels.slice(0, 4 * Math.min(maxWidth, width))
    // The fourth byte of a pixel is padding.
    for (let at = 3; at < now.length; at += 4) now[at] = 0
    const before = this.#before
    this.#before = now
    const [rect] = rects
    return (
      rects.length === 1 &&
      rect?.x === 0 &&
      rect.y === 0 &&
      rect.height === 1 &&
      rect.width <= maxWidth &&
      Buffer.compare(before, now) === 0
    )
  }
}
