import { encoding } from '../encodings.ts'
import type { Rect } from '../rect.ts'
import { RfbError } from '../rfb-error.ts'
import type { Session } from '../session.ts'
import type { Step } from '../step.ts'
import { assertCursorSize } from './cursor.ts'

/**
 * rfbproto, Cursor With Alpha: an encoding, then premultiplied RGBA pixels. Raw is the only encoding that known servers
 * use here.
 */
export function* readCursorWithAlpha(rect: Rect, session: Session): Step<void> {
  assertCursorSize(rect, session)
  const { x: hotX, y: hotY, width, height } = rect
  const number = (yield* session.inbox.fields(4)).getInt32(0)
  if (number !== encoding.raw)
    throw new RfbError(
      'UNSUPPORTED',
      `a cursor with alpha uses encoding ${number}; only raw (0) is supported`,
    )
  const rgba = (yield* session.inbox.take(4 * width * height)).slice()
  unpremultiply(rgba)
  session.emit({ type: 'cursor', width, height, hotX, hotY, rgba })
}

/** Converts premultiplied to straight alpha, as PNG and canvases expect. */
function unpremultiply(rgba: Uint8Array): void {
  for (let at = 0; at < rgba.length; at += 4) {
    const alpha = rgba[at + 3] ?? 0
    if (alpha === 0 || alpha === 255) continue
    for (let colour = at; colour < at + 3; colour++)
      rgba[colour] = Math.min(255, Math.round(((rgba[colour] ?? 0) * 255) / alpha))
  }
}
