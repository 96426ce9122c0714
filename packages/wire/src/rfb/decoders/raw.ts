import type { Rect } from '../rect.ts'
import type { Session } from '../session.ts'
import type { Step } from '../step.ts'

/** RFC 6143, 7.7.1. The pixels are those of the framebuffer, so they go where they belong as they come. */
export function* readRaw({ x, y, width, height }: Rect, { inbox, framebuffer }: Session): Step<void> {
  const start = 4 * (y * framebuffer.width + x)
  // Rows of the whole width lie one behind the other, and are one copy.
  if (width === framebuffer.width) return yield* inbox.copyInto(framebuffer.pixels, start, 4 * width * height)
  for (let row = 0; row < height; row++)
    yield* inbox.copyInto(framebuffer.pixels, start + 4 * row * framebuffer.width, 4 * width)
}
