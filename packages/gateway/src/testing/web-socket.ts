import type { Duplex } from 'node:stream'
import { WebSocket } from 'ws'
import { WebSocketStream } from '../transports/web-socket-stream.ts'

/** Connects by WebSocket and returns its stream once it is open. */
export async function dialWebSocket(url: string, headers: Record<string, string> = {}): Promise<Duplex> {
  const webSocket = new WebSocket(url, { perMessageDeflate: false, headers })
  const stream = new WebSocketStream(webSocket, 64 * 1024)
  await new Promise<void>((resolve, reject) => {
    webSocket.once('open', resolve)
    stream.once('error', reject)
  })
  return stream
}
