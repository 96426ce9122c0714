import { formatRect, type Rect } from './rect.ts'
import { RfbError } from './rfb-error.ts'

/** The pixels of the desktop. A framebuffer has a fixed size: a resize creates a new one. */
export class Framebuffer {
  readonly width: number
  readonly height: number
  /** Rows from top to bottom, four bytes per pixel: red, green, blue, and an undefined one. */
  readonly pixels: Uint8Array<ArrayBuffer>
  /** The same memory, one word per pixel, in the host's byte order. */
  readonly words: Uint32Array<ArrayBuffer>

  constructor(width: number, height: number) {
    this.width = width
    this.height = height
    this.words = new Uint32Array(width * height)
    this.pixels = new Uint8Array(this.words.buffer)
  }

  /** A copy with another size. The common part is kept; the rest is black until the server sends it. */
  resized(width: number, height: number): Framebuffer {
    const next = new Framebuffer(width, height)
    const common = Math.min(width, this.width)
    for (let y = 0; y < Math.min(height, this.height); y++)
      next.words.set(this.words.subarray(y * this.width, y * this.width + common), y * width)
    return next
  }

  /**
   * Throws if a rectangle is not within the framebuffer. It is never clipped, because server and client then disagree
   * on the size.
   */
  assertContains(rect: Rect): void {
    if (rect.x + rect.width <= this.width && rect.y + rect.height <= this.height) return
    const size = `${this.width}x${this.height}`
    throw new RfbError(
      'OUTSIDE',
      `the rectangle ${formatRect(rect)} is not within the framebuffer of ${size}`,
    )
  }
}
