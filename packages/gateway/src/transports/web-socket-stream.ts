import { Duplex } from 'node:stream'
import type { RawData, WebSocket } from 'ws'

interface Piece {
  readonly chunk: Uint8Array
}

/**
 * The bytes of a WebSocket's binary messages, whatever the messages. It closes when the WebSocket does, however that was;
 * what the peer does not take is not asked for again before it does.
 */
export class WebSocketStream extends Duplex {
  readonly #webSocket: WebSocket

  constructor(webSocket: WebSocket, highWaterMark: number) {
    super({ readableHighWaterMark: highWaterMark, writableHighWaterMark: highWaterMark })
    this.#webSocket = webSocket
    webSocket.on('message', (data: RawData) => {
      if (!this.push(data)) webSocket.pause()
    })
    webSocket.on('error', error => this.destroy(error))
    webSocket.on('close', () => this.destroy())
  }

  override _read(): void {
    if (this.#webSocket.isPaused) this.#webSocket.resume()
  }

  override _write(chunk: Uint8Array, _encoding: string, done: (error?: Error | null) => void): void {
    this.#webSocket.send(chunk, done)
  }

  override _writev(pieces: readonly Piece[], done: (error?: Error | null) => void): void {
    const last = pieces.length - 1
    for (const [index, { chunk }] of pieces.entries())
      this.#webSocket.send(chunk, index === last ? done : undefined)
  }

  override _final(done: () => void): void {
    this.#webSocket.close()
    done()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#webSocket.terminate()
    done(error)
  }
}
