import { webTransportAlpn, webTransportPath } from './relay-config.ts'

/** A peer that has shaken hands and opened its stream. */
export interface Peer {
  readonly transport: 'webtransport' | 'quic'
  readonly stream: Deno.BidirectionalStream
  /** Has to be held: what Deno collects, it closes. */
  readonly session?: Deno.WebTransportSession
}

/** What a stream of a WebTransport session begins with, before the session's id (draft-ietf-webtrans-http3, 4.2). */
const webTransportStream = 0x41

/** From a connection to the first stream that the peer opens; undefined where it is not for us. */
export async function acceptPeer(conn: Deno.QuicConn): Promise<Peer | undefined> {
  if (conn.protocol !== webTransportAlpn) {
    const stream = await firstStream(conn)
    return stream && { transport: 'quic', stream }
  }
  const session = await Deno.upgradeWebTransport(conn)
  // It fails as the connection does.
  session.closed.catch(() => {})
  if (new URL(session.url).pathname !== webTransportPath) return undefined
  // Deno's own streams of a session can be written but not ended; those of the connection can.
  const stream = await firstStream(conn)
  return stream && (await isOfSession(stream)) ? { transport: 'webtransport', stream, session } : undefined
}

/** Those that the peer opens after it are never taken, and the transport's own limit keeps them few. */
async function firstStream(conn: Deno.QuicConn): Promise<Deno.BidirectionalStream | undefined> {
  const { value } = await conn.incomingBidirectionalStreams.getReader().read()
  return value
}

/** Takes the header off a stream. There is one session a connection, so that its id tells nothing. */
async function isOfSession({ readable }: Deno.BidirectionalStream): Promise<boolean> {
  const reader = readable.getReader({ mode: 'byob' })
  try {
    return (await readVarint(reader)) === webTransportStream && (await readVarint(reader)) !== undefined
  } finally {
    reader.releaseLock()
  }
}

/** A number of RFC 9000, 16: the first two bits say how many bytes it has. */
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
