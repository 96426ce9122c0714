import type { Link } from './link.ts'
import { lost } from './refusal.ts'

const closeDelayMs = 1000

/** Connects over WebTransport to a server with exactly this certificate. One bidirectional stream carries the link. */
export async function openWebTransport(
  url: string,
  certificateHash: Uint8Array<ArrayBuffer>,
  signal: AbortSignal,
): Promise<Link> {
  const session = new WebTransport(url, {
    serverCertificateHashes: [{ algorithm: 'sha-256', value: certificateHash }],
    congestionControl: 'low-latency',
  })
  // `closed` rejects together with `ready`, which already reports the failure.
  session.closed.catch(() => {})
  const giveUp = () => session.close()
  signal.addEventListener('abort', giveUp, { once: true })
  try {
    await session.ready
    return linkOf(session, await session.createBidirectionalStream())
  } catch {
    throw lost('The service cannot be reached.')
  } finally {
    signal.removeEventListener('abort', giveUp)
  }
}

function linkOf(session: WebTransport, stream: WebTransportBidirectionalStream): Link {
  const writer = stream.writable.getWriter()
  let isClosed = false
  return {
    transport: 'webtransport',
    // A failed write also ends the read loop, which reports it.
    send: bytes => void writer.write(bytes).catch(() => {}),
    // Closing the session alone does not notify the service; ending the stream does, and needs time to arrive.
    close: () => {
      isClosed = true
      void writer.close().catch(() => {})
      setTimeout(() => session.close(), closeDelayMs)
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
