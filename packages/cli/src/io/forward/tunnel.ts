import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Sandglass } from '@sandglass/client'
import { WebSocket } from 'ws'

/** A port of a machine. */
export interface RemotePort {
  readonly credentials: Awaited<ReturnType<Sandglass['credentials']>>
  readonly sandboxId: string
  /** `adb` is the adbd of a phone, wherever that listens. */
  readonly port: number | 'adb'
}

/** How much is sent ahead of what the service has accepted. */
const sendAheadBytes = 256 * 1024

/**
 * Carries one connection to a port of a machine, over a WebSocket of its own. Each direction runs only as fast as its receiver
 * reads, and ends by itself: an empty message is what a FIN is in TCP. Resolves when both have ended, and rejects with the reason
 * if the connection was refused or lost.
 */
export function tunnel(socket: Socket, remote: RemotePort): Promise<void> {
  const webSocket = connect(remote)
  socket.pause()
  webSocket.once('open', () => socket.resume())
  sendToMachine(socket, webSocket)
  receiveFromMachine(socket, webSocket)
  return ended(socket, webSocket)
}

function connect({ credentials: { url, orgId, apiKey }, sandboxId, port }: RemotePort): WebSocket {
  const path = `/api/orgs/${encodeURIComponent(orgId)}/sandboxes/${encodeURIComponent(sandboxId)}/tunnel/${port}`
  return new WebSocket(url.replace(/^http/, 'ws') + path, {
    perMessageDeflate: false,
    headers: { 'x-api-key': apiKey },
  })
}

function sendToMachine(socket: Socket, webSocket: WebSocket): void {
  socket.on('data', (data: Buffer) => {
    if (webSocket.readyState !== webSocket.OPEN) return
    webSocket.send(data, () => {
      if (webSocket.bufferedAmount < sendAheadBytes) socket.resume()
    })
    if (webSocket.bufferedAmount >= sendAheadBytes) socket.pause()
  })
  socket.once('end', () => {
    if (webSocket.readyState === webSocket.OPEN) webSocket.send(Buffer.alloc(0))
  })
}

function receiveFromMachine(socket: Socket, webSocket: WebSocket): void {
  webSocket.on('message', (data: Buffer) => {
    if (data.length === 0) socket.end()
    else if (!socket.write(data)) webSocket.pause()
  })
  socket.on('drain', () => webSocket.resume())
}

function ended(socket: Socket, webSocket: WebSocket): Promise<void> {
  return new Promise((resolve, reject) => {
    // A program that sees its connection reset does not take what it has got for everything.
    const fail = (error: Error) => {
      socket.resetAndDestroy()
      reject(error)
    }
    webSocket.once('unexpected-response', (request, response) => {
      void refusalOf(response).then(error => {
        request.destroy()
        fail(error)
      })
    })
    webSocket.on('error', fail)
    webSocket.once('close', (code, reason) => {
      if (code !== 1000) return fail(new Error(`the connection was lost (${reason.toString() || code})`))
      socket.end()
      resolve()
    })
    // Closing the WebSocket would tell the machine that everything has been sent.
    socket.once('close', hadError => {
      if (hadError || !socket.readableEnded || !socket.writableFinished) webSocket.terminate()
      resolve()
    })
    socket.on('error', () => {})
  })
}

async function refusalOf(response: IncomingMessage): Promise<Error> {
  const body = await text(response).catch(() => '')
  try {
    return new Error(JSON.parse(body).message)
  } catch {
    return new Error(`the service answered ${response.statusCode}`)
  }
}
