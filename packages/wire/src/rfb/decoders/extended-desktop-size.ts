import type { ResizeReason, ResizeRefusal, Screen } from '../events.ts'
import type { Rect } from '../rect.ts'
import type { Session } from '../session.ts'
import type { Step } from '../step.ts'
import { resize } from './desktop-size.ts'

const reasons: readonly ResizeReason[] = ['server', 'this-client', 'other-client']
const refusals: readonly ResizeRefusal[] = ['other', 'prohibited', 'out-of-resources', 'invalid-layout']

/**
 * rfbproto, ExtendedDesktopSize: x is who requested the size and y, if it was this client, the result; the screens
 * follow. Unknown reasons count as the server's.
 */
export function* readExtendedDesktopSize(rect: Rect, session: Session): Step<void> {
  const { width, height } = rect
  const screens = yield* readScreens(session)
  const reason = reasons[rect.x] ?? 'server'
  session.announce('set-desktop-size')
  if (reason === 'this-client' && rect.y !== 0)
    return session.emit({ type: 'resize-refused', refusal: refusals[rect.y] ?? 'other' })
  resize(session, width, height)
  session.emit({ type: 'resize', width, height, reason, screens })
}

function* readScreens({ inbox }: Session): Step<Screen[]> {
  const count = (yield* inbox.fields(4)).getUint8(0)
  const fields = yield* inbox.fields(16 * count)
  return Array.from({ length: count }, (_, index) => {
    const at = 16 * index
    return {
      id: fields.getUint32(at),
      x: fields.getUint16(at + 4),
      y: fields.getUint16(at + 6),
      width: fields.getUint16(at + 8),
      height: fields.getUint16(at + 10),
      flags: fields.getUint32(at + 12),
    }
  })
}
