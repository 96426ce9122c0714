import { Duplex } from 'node:stream'
import type { RawData, WebSocket } from 'ws'

interface Piece {
  readonly chunk: Uint8Array
}

/**
 * The bytes of a WebSocket's binary messages as one stream. It closes when the WebSocket closes for any reason, and
 * applies backpressure when the peer does not keep up.
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
