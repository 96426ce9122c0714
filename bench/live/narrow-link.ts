import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export interface LinkShape {
  readonly megabitsPerSecond: number
  readonly roundTripMs: number
}

/** The queue of a router on the path; senders wait when it is full. */
const queueBytes = 64 * 1024
/** Data is sent in chunks, as packets are, and not all at the end. */
const pieceBytes = 4 * 1024

/**
 * Opens a port on loopback that forwards to another one over a simulated link, with this rate and half of the round
 * trip in each direction.
 */
export async function narrowLinkTo(
  port: number,
  shape: LinkShape,
): Promise<{ port: number; close: () => void }> {
  const sockets = new Set<Socket>()
  const server = createServer({ noDelay: true, pauseOnConnect: true }, near => {
    const far = connect({ port, host: '127.0.0.1', noDelay: true })
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        near.destroy()
        far.destroy()
      })
    }
    carry(near, far, shape)
    carry(far, near, shape)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    close: () => {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

interface Piece {
  readonly bytes: Uint8Array
  readonly arrivesAtMs: number
}

function carry(from: Socket, to: Socket, { megabitsPerSecond, roundTripMs }: LinkShape): void {
  const bytesPerMs = (megabitsPerSecond * 1e6) / 8 / 1000
  const underWay: Piece[] = []
  /** When the link will have sent everything that is queued. */
  let freeAtMs = 0
  let timer: NodeJS.Timeout | undefined

  const deliver = () => {
    timer = undefined
    const nowMs = performance.now()
    while (underWay[0] && underWay[0].arrivesAtMs <= nowMs) to.write(underWay.shift()?.bytes ?? '')
    if ((freeAtMs - nowMs) * bytesPerMs < queueBytes) from.resume()
    if (underWay[0]) timer = setTimeout(deliver, underWay[0].arrivesAtMs - nowMs)
  }
  from.on('data', chunk => {
    const nowMs = performance.now()
    for (let at = 0; at < chunk.length; at += pieceBytes) {
      const bytes = chunk.subarray(at, at + pieceBytes)
      freeAtMs = Math.max(freeAtMs, nowMs) + bytes.length / bytesPerMs
      underWay.push({ bytes, arrivesAtMs: freeAtMs + roundTripMs / 2 })
    }
    if ((freeAtMs - nowMs) * bytesPerMs > queueBytes) from.pause()
    timer ??= setTimeout(deliver, (underWay[0]?.arrivesAtMs ?? nowMs) - nowMs)
  })
  from.on('close', () => clearTimeout(timer))
  from.resume()
}
