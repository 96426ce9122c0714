import type { Session } from '../session.ts'
import type { Step } from '../step.ts'
import { decodeLatin1, readText } from '../text.ts'
import { readExtendedClipboard } from './extended-clipboard.ts'

/** ServerCutText: RFC 6143, 7.6.4. A negative length marks an extended clipboard message. */
export function* readCutText(session: Session): Step<void> {
  const length = (yield* session.inbox.fields(7)).getInt32(3)
  if (length < 0) return yield* readExtendedClipboard(-length, session)
  const bytes = yield* readText(session, length, 'a cut text')
  session.budget.inflated(length)
  session.emit({ type: 'cut-text', text: decodeLatin1(bytes) })
}
