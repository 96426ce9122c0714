import type { Damage, Rect } from '../rect.ts'
import type { Session } from '../session.ts'
import type { Step } from '../step.ts'

/** RFC 6143, 7.7.2. Source and target may overlap. */
export function* readCopyRect(rect: Rect, { inbox, framebuffer }: Session): Step<Damage> {
  const fields = yield* inbox.fields(4)
  const from = { x: fields.getUint16(0), y: fields.getUint16(2) }
  const source = { ...rect, ...from }
  framebuffer.assertContains(source)
  const { width, words } = framebuffer
  // When copying down, start with the lowest row, so that no row is overwritten before it is copied. Within a row,
  // copyWithin handles the overlap.
  const downwards = source.y < rect.y
  for (let step = 0; step < rect.height; step++) {
    const row = downwards ? rect.height - 1 - step : step
    const start = (source.y + row) * width + source.x
    words.copyWithin((rect.y + row) * width + rect.x, start, start + rect.width)
  }
  return { ...rect, from }
}
