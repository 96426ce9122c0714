import type { IncomingMessage } from 'node:http'
import { maxTunnelMessageBytes } from '@sandglass/protocol'
import { type WebSocket, WebSocketServer } from 'ws'
import type { SocketResponse } from '../../http/socket-response.ts'

/** How often the kernel asks whether the host of a caller is still there, which also works while the caller does not read. */
const keepAliveMs = 30_000

const options = {
  noServer: true,
  perMessageDeflate: false,
  maxPayload: maxTunnelMessageBytes,
  clientTracking: false,
  // A caller that reads slowly answers a close only after it has read everything before it.
  closeTimeout: 600_000,
}
const ids = new WeakMap<IncomingMessage, string>()
const server = new WebSocketServer(options)
server.on('headers', (headers: string[], request: IncomingMessage) => {
  const id = ids.get(request)
  if (id !== undefined) headers.push(`X-Request-Id: ${id}`)
})

/** Switches the connection of a response to WebSocket. Returns undefined if the caller has disconnected. */
export function accept(response: SocketResponse, requestId: string): WebSocket | undefined {
  const { req: request, socket } = response
  if (!socket || response.destroyed) return undefined
  ids.set(request, requestId)
  socket.setNoDelay(true)
  socket.setKeepAlive(true, keepAliveMs)
  let accepted: WebSocket | undefined
  server.handleUpgrade(request, socket, Buffer.alloc(0), webSocket => {
    accepted = webSocket
  })
  return accepted
}
