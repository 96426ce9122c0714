import type { Link } from './link.ts'
import { lost } from './refusal.ts'

const partingMs = 1000

/** By the certificate of this hash and no other; the one bidirectional stream is the link. */
export async function openWebTransport(
  url: string,
  certificateHash: Uint8Array<ArrayBuffer>,
  signal: AbortSignal,
): Promise<Link> {
  const session = new WebTransport(url, {
    serverCertificateHashes: [{ algorithm: 'sha-256', value: certificateHash }],
    congestionControl: 'low-latency',
  })
  // It is rejected together with `ready` when nothing answers, and told by that.
  session.closed.catch(() => {})
  const giveUp = () => session.close()
  signal.addEventListener('abort', giveUp, { once: true })
  try {
    await session.ready
    return linkOf(session, await session.createBidirectionalStream())
  } catch {
    throw lost(`${url} does not answer.`)
  } finally {
    signal.removeEventListener('abort', giveUp)
  }
}

function linkOf(session: WebTransport, stream: WebTransportBidirectionalStream): Link {
  const writer = stream.writable.getWriter()
  let isClosed = false
  return {
    transport: 'webtransport',
    // A failed write also ends the reading, which tells it.
    send: bytes => void writer.write(bytes).catch(() => {}),
    // A session that is only closed tells the service nothing: the end of the stream does, and wants time to get there.
    close: () => {
      isClosed = true
      void writer.close().catch(() => {})
      setTimeout(() => session.close(), partingMs)
    },
    receive: ({ onBytes, onClose }) => {
      const pump = async () => {
        const reader: ReadableStreamDefaultReader<Uint8Array> = stream.readable.getReader()
        for (;;) {
          const { done, value } = await reader.read()
          if (done || isClosed) return
          onBytes(value)
        }
      }
      void pump()
        .catch(() => {})
        .finally(() => {
          if (isClosed) return
          session.close()
          onClose()
        })
    },
  }
}
