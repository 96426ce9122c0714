import { clipboardCaps } from '../client-messages.ts'
import { clipboardFlags } from '../clipboard-flags.ts'
import { RfbError } from '../rfb-error.ts'
import type { Session } from '../session.ts'
import type { Step } from '../step.ts'
import { decodeUtf8, readText } from '../text.ts'
import { Inflater } from '../zrle/inflater.ts'

/** A portion of this size expands to at most 1 MB, so that little more than the allowed text is ever inflated. */
const portionBytes = 1024

/** rfbproto, Extended Clipboard Pseudo-Encoding: flags and their data. Only text is supported. */
export function* readExtendedClipboard(length: number, session: Session): Step<void> {
  if (length < 4) throw new RfbError('MALFORMED', `an extended clipboard of ${length} bytes has no flags`)
  const bytes = (yield* readText(session, length, 'a clipboard')).slice()
  const flags = new DataView(bytes.buffer).getUint32(0)
  const hasText = (flags & clipboardFlags.text) !== 0
  if (flags & clipboardFlags.caps) {
    // Must be sent before anything that a listener may send.
    session.send(clipboardCaps())
    session.announce('extended-clipboard')
  } else if (flags & clipboardFlags.request) {
    if (hasText) session.emit({ type: 'clipboard-request', what: 'text' })
  } else if (flags & clipboardFlags.peek) session.emit({ type: 'clipboard-request', what: 'offer' })
  else if (flags & clipboardFlags.notify) session.emit({ type: 'clipboard-offer', hasText })
  else if (flags & clipboardFlags.provide) {
    if (hasText) session.emit({ type: 'clipboard', text: textOf(bytes.subarray(4), session) })
  } else throw new RfbError('MALFORMED', `an extended clipboard has the flags ${flags}, which name no action`)
}

/** Text is the first format: its length, then UTF-8 with CRLF line ends and a terminating NUL. */
function textOf(deflated: Uint8Array, session: Session): string {
  const { maxTextBytes } = session.settings
  const output = inflate(deflated, 4 + maxTextBytes, session)
  if (output.length < 4) throw new RfbError('MALFORMED', 'a clipboard announces text but has none')
  const length = new DataView(output.buffer, output.byteOffset).getUint32(0)
  if (length > maxTextBytes)
    throw new RfbError('LIMIT', `a clipboard has ${length} bytes; at most ${maxTextBytes} are allowed`)
  if (output.length < 4 + length)
    throw new RfbError('MALFORMED', `a clipboard of ${length} bytes has only ${output.length - 4}`)
  const text = decodeUtf8(output.subarray(4, 4 + length))
  return text.replace(/\0.*$/s, '').replaceAll('\r\n', '\n')
}

/** Inflates until the end, or until there are `enough` bytes. */
function inflate(deflated: Uint8Array, enough: number, { budget }: Session): Uint8Array {
  const inflater = new Inflater()
  const pieces: Uint8Array[] = []
  let length = 0
  for (let at = 0; at < deflated.length && length < enough; at += portionBytes) {
    inflater.push(deflated.subarray(at, at + portionBytes))
    const { output } = inflater
    inflater.consume(output.length)
    budget.inflated(output.length)
    pieces.push(output)
    length += output.length
  }
  const whole = new Uint8Array(length)
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}
