import { setEncodings, setPixelFormat } from '../client-messages.ts'
import { checkedFramebuffer } from '../decoders/desktop-size.ts'
import type { Session } from '../session.ts'
import type { Step } from '../step.ts'
import { decodeUtf8, readLengthAndText } from '../text.ts'

/** Width, height, and the server's pixel format, which is ignored because the client sets its own. */
const serverInitLength = 4 + 16

/** ClientInit and ServerInit (RFC 6143, 7.3), then the client's pixel format and encodings. */
export function* initialise(session: Session): Step<void> {
  const { inbox, settings, send, emit } = session
  send(Uint8Array.of(settings.shared ? 1 : 0))
  const fields = yield* inbox.fields(serverInitLength)
  const [width, height] = [fields.getUint16(0), fields.getUint16(2)]
  const name = decodeUtf8(yield* readLengthAndText(session, 'the name of the desktop'))
  session.framebuffer = checkedFramebuffer(session, width, height)
  send(setPixelFormat())
  send(setEncodings(settings.encodings))
  emit({ type: 'ready', width, height, name })
}
