import { webTransportAlpn, webTransportPath } from './relay-config.ts'

/** A peer that has completed the handshake and opened its stream. */
export interface Peer {
  readonly transport: 'webtransport' | 'quic'
  readonly stream: Deno.BidirectionalStream
  /** Kept referenced, since Deno closes sessions when they are garbage-collected. */
  readonly session?: Deno.WebTransportSession
}

/**
 * The type that begins a stream of a WebTransport session, before the session's id (draft-ietf-webtrans-http3, 4.2).
 */
const webTransportStream = 0x41

/** Waits for the first stream of a connection; returns undefined if the connection is not for us. */
export async function acceptPeer(conn: Deno.QuicConn): Promise<Peer | undefined> {
  if (conn.protocol !== webTransportAlpn) {
    const stream = await firstStream(conn)
    return stream && { transport: 'quic', stream }
  }
  const session = await Deno.upgradeWebTransport(conn)
  // The connection's own failure is handled elsewhere.
  session.closed.catch(() => {})
  if (new URL(session.url).pathname !== webTransportPath) return undefined
  // Deno's WebTransport streams can be written but not ended; those of the connection can.
  const stream = await firstStream(conn)
  return stream && (await isOfSession(stream)) ? { transport: 'webtransport', stream, session } : undefined
}

/** Further streams are never accepted, and the transport limits their number. */
async function firstStream(conn: Deno.QuicConn): Promise<Deno.BidirectionalStream | undefined> {
  const { value } = await conn.incomingBidirectionalStreams.getReader().read()
  return value
}

/** Reads the header of a stream. There is one session per connection, so its id carries no information. */
async function isOfSession({ readable }: Deno.BidirectionalStream): Promise<boolean> {
  const reader = readable.getReader({ mode: 'byob' })
  try {
    return (await readVarint(reader)) === webTransportStream && (await readVarint(reader)) !== undefined
  } finally {
    reader.releaseLock()
  }
}

/** A variable-length integer (RFC 9000, section 16): its first two bits encode its length. */
async function readVarint(reader: ReadableStreamBYOBReader): Promise<number | undefined> {
  const first = await readByte(reader)
  if (first === undefined) return undefined
  let value = first & 0x3f
  for (let left = (1 << (first >> 6)) - 1; left > 0; left--) {
    const byte = await readByte(reader)
    if (byte === undefined) return undefined
    value = value * 256 + byte
  }
  return value
}

async function readByte(reader: ReadableStreamBYOBReader): Promise<number | undefined> {
  const { value } = await reader.read(new Uint8Array(1))
  return value?.[0]
}
