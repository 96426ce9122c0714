import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { Machine } from '@sandglass/machines/contract'
import { createWebSocketStream, WebSocketServer } from 'ws'

/**
 * The bridge that noVNC needs in front of a VNC server: a WebSocket that relays bytes to and from the machine's
 * Xtigervnc.
 */
export async function bridgeTo(machine: Machine): Promise<{ port: number; close: () => void }> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false })
  server.on('connection', async socket => {
    const stream = createWebSocketStream(socket)
    const screen = await machine.dial('screen:rfb')
    stream.pipe(screen).pipe(stream)
    stream.on('error', () => screen.destroy())
    screen.on('error', () => stream.destroy())
  })
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    port,
    close: () => {
      server.close()
      for (const client of server.clients) client.terminate()
    },
  }
}
