import { headerDecoders, pixelDecoders, pseudoDecoders } from '../decoders/index.ts'
import { encoding } from '../encodings.ts'
import type { Damage, Rect } from '../rect.ts'
import { union } from '../rect.ts'
import { RfbError } from '../rfb-error.ts'
import type { Session } from '../session.ts'
import type { Step } from '../step.ts'

/**
 * An update of more rectangles is reported as the area that contains them all, so that the time which listeners spend
 * on an update does not depend on how a server divides it.
 */
const maxReported = 2000

/** FramebufferUpdate: RFC 6143, 7.6.1. */
export function* readFramebufferUpdate(session: Session): Step<void> {
  const count = (yield* session.inbox.fields(3)).getUint16(1)
  let rects: Damage[] = []
  for (let index = 0; index < count; index++) {
    if (session.budget.isTurnOver) yield
    const { rect, number } = yield* readHeader(session)
    session.budget.message()
    if (number === encoding.lastRect) break
    const drawn = yield* readRectangle(rect, number, session)
    // Damage from before a resize does not apply to the new framebuffer.
    if (drawn === 'resized') rects = []
    else if (drawn) rects.push(drawn)
    if (rects.length > maxReported) rects = [rects.reduce(union)]
  }
  session.emit({ type: 'update', rects })
}

function* readHeader({ inbox }: Session): Step<{ rect: Rect; number: number }> {
  const fields = yield* inbox.fields(12)
  const [x, y] = [fields.getUint16(0), fields.getUint16(2)]
  const rect = { x, y, width: fields.getUint16(4), height: fields.getUint16(6) }
  return { rect, number: fields.getInt32(8) }
}

function* readRectangle(rect: Rect, number: number, session: Session): Step<Damage | 'resized' | undefined> {
  const before = session.framebuffer
  if (!session.settings.requested.has(number))
    throw new RfbError('MALFORMED', `a rectangle uses encoding ${number}, which was not requested`)
  const decodePixels = pixelDecoders.get(number)
  if (decodePixels) {
    before.assertContains(rect)
    session.budget.pixels(rect.width * rect.height)
    const damage = yield* decodePixels(rect, session)
    return rect.width * rect.height > 0 ? damage : undefined
  }
  const decodePseudo = pseudoDecoders.get(number)
  const decodeHeader = headerDecoders.get(number)
  if (decodePseudo) yield* decodePseudo(rect, session)
  else if (decodeHeader) decodeHeader(rect, session)
  else throw new RfbError('UNSUPPORTED', `a rectangle uses encoding ${number}, which has no decoder`)
  return session.framebuffer === before ? undefined : 'resized'
}
