import type { Duplex } from 'node:stream'
import { maxTunnelMessageBytes } from '@sandglass/protocol'
import type { WebSocket } from 'ws'
import { Pauses } from './pauses.ts'
import type { Pace } from './tunnel.ts'

/** How much is written ahead of what the caller has accepted. */
const writeAheadBytes = 256 * 1024
/** Pieces below this size are sent together with others that come in the same moment. */
const smallBytes = 16 * 1024

/** What a program sends, as messages of a WebSocket, and no faster than they are accepted. */
export class FramedOutput {
  readonly #webSocket: WebSocket
  readonly #guest: Duplex
  readonly #pauses: Pauses
  readonly #pace: Pace
  readonly #onBytes: (bytes: number) => void
  #small: Buffer[] = []
  #isDiscarding = false
  /** Whether everything including the end was passed to the connection. */
  isSent = false

  constructor(webSocket: WebSocket, guest: Duplex, pace: Pace, onBytes: (bytes: number) => void) {
    this.#webSocket = webSocket
    this.#guest = guest
    this.#pauses = new Pauses(guest)
    this.#pace = pace
    this.#onBytes = onBytes
  }

  send(piece: Buffer): void {
    if (this.#isDiscarding) return
    this.#onBytes(piece.length)
    if (piece.length < smallBytes) {
      this.#small.push(piece)
      if (this.#small.length === 1) process.nextTick(() => this.#sendSmall())
    } else {
      this.#sendSmall()
      for (let at = 0; at < piece.length; at += maxTunnelMessageBytes)
        this.#send(piece.subarray(at, at + maxTunnelMessageBytes))
    }
    const pauseMs = this.#pace.pauseAfter(piece.length)
    if (pauseMs > 0) this.#pauses.last('pace', pauseMs)
  }

  /** Sends the end of this direction. */
  end(onSent: () => void): void {
    this.#sendSmall()
    this.#webSocket.send(Buffer.alloc(0), error => {
      if (error) return
      this.isSent = true
      onSent()
    })
  }

  /** Reads what still comes without passing it on. */
  discard(): void {
    this.#isDiscarding = true
    this.#small = []
    this.#pauses.endAll()
    this.#guest.resume()
  }

  #sendSmall(): void {
    if (this.#small.length === 0) return
    const [first = Buffer.alloc(0)] = this.#small
    const message = this.#small.length === 1 ? first : Buffer.concat(this.#small)
    this.#small = []
    this.#send(message)
  }

  #send(message: Buffer): void {
    this.#webSocket.send(message, () => {
      if (this.#webSocket.bufferedAmount < writeAheadBytes) this.#pauses.end('full')
    })
    if (this.#webSocket.bufferedAmount >= writeAheadBytes) this.#pauses.begin('full')
  }
}
