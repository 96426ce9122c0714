import { RfbError } from '../rfb-error.ts'
import type { Session } from '../session.ts'
import type { Step } from '../step.ts'
import { readCutText } from './cut-text.ts'
import { readFence } from './fence.ts'
import { readFramebufferUpdate } from './framebuffer-update.ts'

/** Reads a message after its type (RFC 6143, 7.6; rfbproto for 150 and 248). */
export function* readServerMessage(type: number, session: Session): Step<void> {
  switch (type) {
    case 0:
      return yield* readFramebufferUpdate(session)
    case 2:
      return session.emit({ type: 'bell' })
    case 3:
      return yield* readCutText(session)
    case 150:
      // The first one announces support for continuous updates; each later one reports that they have ended.
      if (!session.announce('continuous-updates')) session.emit({ type: 'continuous-updates-ended' })
      return
    case 248:
      return yield* readFence(session)
    default:
      throw new RfbError('MALFORMED', `message type ${type} is unknown`)
  }
}
