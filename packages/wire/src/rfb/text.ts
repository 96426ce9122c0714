import { RfbError } from './rfb-error.ts'
import type { Session } from './session.ts'
import type { Step } from './step.ts'

/** Decodes Latin-1, the first 256 code points. TextDecoder's `latin1` is another character set, windows-1252. */
export function decodeLatin1(bytes: Uint8Array): string {
  let text = ''
  // Arguments are passed on the stack, so they are passed in portions. A spread would be several times slower.
  for (let at = 0; at < bytes.length; at += 8192)
    text += Reflect.apply(String.fromCharCode, undefined, bytes.subarray(at, at + 8192))
  return text
}

/** Encodes Latin-1; characters that it lacks become question marks. */
export const encodeLatin1 = (text: string): Uint8Array =>
  Uint8Array.from(text, character => {
    const code = character.codePointAt(0) ?? 0
    return code < 256 ? code : 0x3f
  })

const utf8 = new TextDecoder()
export const decodeUtf8 = (bytes: Uint8Array): string => utf8.decode(bytes)

/** Names of desktops and reasons for refusals are short, and may end up in an error message. */
const maxNameBytes = 4096

/** Reads a name or a reason that is preceded by its length in four bytes. */
export function* readLengthAndText(session: Session, what: string): Step<Uint8Array> {
  const length = (yield* session.inbox.fields(4)).getUint32(0)
  return yield* readAtMost(session, length, Math.min(maxNameBytes, session.settings.maxTextBytes), what)
}

/** Reads a clipboard text of `length` bytes; `what` names it in the error if it is too long. */
export function readText(session: Session, length: number, what: string): Step<Uint8Array> {
  return readAtMost(session, length, session.settings.maxTextBytes, what)
}

function* readAtMost({ inbox }: Session, length: number, max: number, what: string): Step<Uint8Array> {
  if (length > max) throw new RfbError('LIMIT', `${what} has ${length} bytes; at most ${max} are allowed`)
  return yield* inbox.take(length)
}
