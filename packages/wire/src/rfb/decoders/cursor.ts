import type { Rect } from '../rect.ts'
import { RfbError } from '../rfb-error.ts'
import type { Session } from '../session.ts'
import type { Step } from '../step.ts'

/** RFC 6143, 7.8.1: pixels, then a bit mask with rows of whole bytes, the leftmost pixel in the highest bit. */
export function* readCursor(rect: Rect, session: Session): Step<void> {
  assertCursorSize(rect, session)
  const { x: hotX, y: hotY, width, height } = rect
  const [pixelBytes, maskRow] = [4 * width * height, (width + 7) >> 3]
  const bytes = yield* session.inbox.take(pixelBytes + maskRow * height)
  const rgba = bytes.slice(0, pixelBytes)
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const mask = bytes[pixelBytes + y * maskRow + (x >> 3)] ?? 0
      rgba[4 * (y * width + x) + 3] = mask & (0x80 >> (x & 7)) ? 255 : 0
    }
  session.emit({ type: 'cursor', width, height, hotX, hotY, rgba })
}

/** Throws if the options do not allow the size, or if the work of unpacking it exceeds the budget. */
export function assertCursorSize({ width, height }: Rect, { settings, budget }: Session): void {
  const { maxCursorPixels } = settings
  if (width * height > maxCursorPixels)
    throw new RfbError(
      'LIMIT',
      `a cursor has ${width}x${height} pixels; at most ${maxCursorPixels} are allowed`,
    )
  budget.cursor(width * height)
}
