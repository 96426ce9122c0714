import { RfbError } from '../rfb-error.ts'
import type { Session } from '../session.ts'
import type { Step } from '../step.ts'
import { decodeUtf8, readLengthAndText } from '../text.ts'
import type { Version } from './version.ts'

const none = 1

/** Names from the IANA registry (RFC 6143, 8.2), for the error message. */
const names: Readonly<Record<number, string>> = {
  1: 'None',
  2: 'VNC authentication',
  5: 'RA2',
  6: 'RA2ne',
  16: 'Tight',
  18: 'TLS',
  19: 'VeNCrypt',
  20: 'SASL',
  30: 'Apple',
}

/** Security and SecurityResult: RFC 6143, 7.1.2 and 7.1.3. Only the type None is supported. */
export function* agreeOnSecurity(session: Session, version: Version): Step<void> {
  if (version === '003.003') return yield* acceptChoice(session)
  yield* chooseFromList(session)
  // Version 3.7 sends no result for None.
  if (version === '003.008' && (yield* session.inbox.fields(4)).getUint32(0) !== 0) yield* refused(session)
}

/** In 3.3 the server decides, with a four-byte number. */
function* acceptChoice(session: Session): Step<void> {
  const type = (yield* session.inbox.fields(4)).getUint32(0)
  if (type === 0) yield* refused(session)
  if (type !== none) throw unsupported([type])
}

function* chooseFromList(session: Session): Step<void> {
  const count = (yield* session.inbox.fields(1)).getUint8(0)
  if (count === 0) yield* refused(session)
  const types = [...(yield* session.inbox.take(count))]
  if (!types.includes(none)) throw unsupported(types)
  session.send(Uint8Array.of(none))
}

function* refused(session: Session): Step<never> {
  const reason = decodeUtf8(yield* readLengthAndText(session, 'the reason for a refusal'))
  throw new RfbError('REFUSED', `the server refused the connection: ${reason}`)
}

function unsupported(types: readonly number[]): RfbError {
  const offered = types.map(type => (names[type] ? `${type} (${names[type]})` : `${type}`)).join(', ')
  return new RfbError(
    'UNSUPPORTED',
    `the server offers the security types ${offered}; only 1 (None) is supported`,
  )
}
