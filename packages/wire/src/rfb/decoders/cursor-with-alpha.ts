import { encoding } from '../encodings.ts'
import type { Rect } from '../rect.ts'
import { RfbError } from '../rfb-error.ts'
import type { Session } from '../session.ts'
import type { Step } from '../step.ts'
import { mustBeBearable } from './cursor.ts'

/**
 * rfbproto, Cursor With Alpha: an encoding, then pixels of R, G, B and alpha, the colours multiplied by it.
 * Raw is the one encoding that the servers we know use here.
 */
export function* readCursorWithAlpha(rect: Rect, session: Session): Step<void> {
  mustBeBearable(rect, session)
  const { x: hotX, y: hotY, width, height } = rect
  const number = (yield* session.inbox.fields(4)).getInt32(0)
  if (number !== encoding.raw)
    throw new RfbError('UNSUPPORTED', `a cursor with alpha comes in encoding ${number}; only raw (0) is read`)
  const rgba = (yield* session.inbox.take(4 * width * height)).slice()
  straighten(rgba)
  session.emit({ type: 'cursor', width, height, hotX, hotY, rgba })
}

/** Divides the colours by the alpha, as PNG and a canvas want them. */
function straighten(rgba: Uint8Array): void {
  for (let at = 0; at < rgba.length; at += 4) {
    const alpha = rgba[at + 3] ?? 0
    if (alpha === 0 || alpha === 255) continue
    for (let colour = at; colour < at + 3; colour++)
      rgba[colour] = Math.min(255, Math.round(((rgba[colour] ?? 0) * 255) / alpha))
  }
}
