import { type Rect, showRect } from './rect.ts'
import { RfbError } from './rfb-error.ts'

/** The picture. A framebuffer never changes its size: a resize makes another. */
export class Framebuffer {
  readonly width: number
  readonly height: number
  /** Rows from the top, four bytes a pixel: red, green, blue, and one that may be anything. */
  readonly pixels: Uint8Array<ArrayBuffer>
  /** The same memory, a word a pixel, in the byte order of the host. */
  readonly words: Uint32Array<ArrayBuffer>

  constructor(width: number, height: number) {
    this.width = width
    this.height = height
    this.words = new Uint32Array(width * height)
    this.pixels = new Uint8Array(this.words.buffer)
  }

  /** What old and new have in common stays; the rest is black until the server tells. */
  resized(width: number, height: number): Framebuffer {
    const next = new Framebuffer(width, height)
    const common = Math.min(width, this.width)
    for (let y = 0; y < Math.min(height, this.height); y++)
      next.words.set(this.words.subarray(y * this.width, y * this.width + common), y * width)
    return next
  }

  /** A rectangle outside the framebuffer is an error, never clipped: server and client disagree on the size. */
  mustHold(rect: Rect): void {
    if (rect.x + rect.width <= this.width && rect.y + rect.height <= this.height) return
    const size = `${this.width}x${this.height}`
    throw new RfbError('OUTSIDE', `the rectangle ${showRect(rect)} is not within the framebuffer of ${size}`)
  }
}
