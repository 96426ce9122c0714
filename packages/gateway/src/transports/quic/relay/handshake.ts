import { webTransportAlpn, webTransportPath } from './orders.ts'

/** A peer that has shaken hands and opened its stream. */
export interface Peer {
  readonly transport: 'webtransport' | 'quic'
  readonly stream: Deno.BidirectionalStream
}

/** From a connection to the first stream that the peer opens; undefined where it is not for us. */
export async function shakeHands(conn: Deno.QuicConn): Promise<Peer | undefined> {
  if (conn.protocol !== webTransportAlpn) {
    const stream = await firstStream(conn)
    return stream && { transport: 'quic', stream }
  }
  const session = await Deno.upgradeWebTransport(conn)
  // How it ends is read from the connection.
  session.closed.catch(() => {})
  await session.ready
  if (new URL(session.url).pathname !== webTransportPath) return undefined
  const stream = await firstStream(session)
  return stream && { transport: 'webtransport', stream }
}

/** Those that the peer opens after it are never taken, and the transport's own limit keeps them few. */
async function firstStream(
  from: Pick<Deno.QuicConn, 'incomingBidirectionalStreams'>,
): Promise<Deno.BidirectionalStream | undefined> {
  const reader = from.incomingBidirectionalStreams.getReader()
  const { value } = await reader.read()
  return value
}
