import type { Session } from '../session.ts'
import type { Step } from '../step.ts'
import { decodeLatin1, readText } from '../text.ts'

/** ServerCutText: RFC 6143, 7.6.4. */
export function* readCutText(session: Session): Step<void> {
  yield* session.inbox.take(3)
  session.emit({ type: 'cut-text', text: decodeLatin1(yield* readText(session, 'a cut text')) })
}
