import type { Damage, Rect } from '../rect.ts'
import type { Session } from '../session.ts'
import type { Step } from '../step.ts'

/** RFC 6143, 7.7.1. The pixel format is that of the framebuffer, so pixels are copied directly as they arrive. */
export function* readRaw(rect: Rect, { inbox, framebuffer }: Session): Step<Damage> {
  const { x, y, width, height } = rect
  const start = 4 * (y * framebuffer.width + x)
  // Rows of the full width are contiguous and need only one copy.
  if (width === framebuffer.width) yield* inbox.copyInto(framebuffer.pixels, start, 4 * width * height)
  else
    for (let row = 0; row < height; row++)
      yield* inbox.copyInto(framebuffer.pixels, start + 4 * row * framebuffer.width, 4 * width)
  return rect
}
