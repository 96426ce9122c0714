import type { Link } from './link.ts'
import { lost } from './refusal.ts'

/** Connects over WebSocket; rejects if the address cannot be reached or `signal` fires first. */
export function openWebSocket(url: string, signal: AbortSignal): Promise<Link> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url)
    socket.binaryType = 'arraybuffer'
    const fail = () => reject(lost('The service cannot be reached.'))
    const giveUp = () => {
      socket.close()
      fail()
    }
    signal.addEventListener('abort', giveUp, { once: true })
    socket.addEventListener('close', fail, { once: true })
    socket.addEventListener(
      'open',
      () => {
        signal.removeEventListener('abort', giveUp)
        socket.removeEventListener('close', fail)
        resolve(linkOf(socket))
      },
      { once: true },
    )
  })
}

function linkOf(socket: WebSocket): Link {
  const closing = new AbortController()
  return {
    transport: 'websocket',
    send: bytes => {
      if (socket.readyState === WebSocket.OPEN) socket.send(new Uint8Array(bytes))
    },
    close: () => {
      closing.abort()
      socket.close()
    },
    receive({ onBytes, onClose }) {
      const { signal } = closing
      socket.addEventListener(
        'message',
        ({ data }) => {
          if (data instanceof ArrayBuffer) onBytes(new Uint8Array(data))
        },
        { signal },
      )
      socket.addEventListener('close', onClose, { once: true, signal })
    },
  }
}
