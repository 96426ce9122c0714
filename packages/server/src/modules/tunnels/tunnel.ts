import type { Duplex } from 'node:stream'
import { type ApiError, tunnelCloseCode } from '@sandglass/protocol'
import type { RawData, WebSocket } from 'ws'
import { FramedOutput } from './framed-output.ts'
import type { OpenConnection, Patience } from './open-connection.ts'
import { Pauses } from './pauses.ts'

/** How long a peer may take to take note of an error before it is disconnected. */
const noticeMs = 5000
/** How long a program may take to finish after the caller has closed the tunnel. */
const lingerMs = 10_000

export type Direction = 'in' | 'out'

/** Limits how fast small pieces are passed on, which cost far more than their bytes. */
export interface Pace {
  /** Counts a piece. Returns how long to pause before the next one, which is usually 0. */
  pauseAfter(bytes: number): number
}

export interface TunnelParts {
  readonly webSocket: WebSocket
  /** The connection to the program in the machine. */
  readonly guest: Duplex
  readonly pace: Pace
  /** Called with the bytes that went into the machine, or came out of it. */
  readonly onBytes: (direction: Direction, bytes: number) => void
  /** Finds out why the connection to the program was lost. */
  readonly whyLost: (error: Error | undefined) => Promise<ApiError>
  /** Called once, when nothing of it is open any more on the side of the caller. */
  readonly onEnd: () => void
}

/**
 * A WebSocket that carries a connection to a program in a machine. Each direction runs only as fast as its receiver reads, and
 * ends by itself: an empty message is what a FIN is in TCP.
 */
export class Tunnel implements OpenConnection {
  readonly #parts: TunnelParts
  readonly #output: FramedOutput
  readonly #input: Pauses
  #hasCallerEnded = false
  #hasGuestEnded = false
  /** The program has closed the connection after its output, so nothing reads what the caller still sends. */
  #isGuestGone = false
  #isClosing = false
  #lostWith: Error | undefined
  /** When something came from the caller last, and when it was asked for that. */
  #heardAt = performance.now()
  #askedAt = this.#heardAt

  constructor(parts: TunnelParts) {
    this.#parts = parts
    const { webSocket, guest, pace } = parts
    this.#input = new Pauses({ pause: () => webSocket.pause(), resume: () => webSocket.resume() })
    this.#output = new FramedOutput(webSocket, guest, pace, bytes => parts.onBytes('out', bytes))
    webSocket.on('message', (data, isBinary) => this.#receive(data, isBinary))
    webSocket.on('pong', () => this.#heard())
    // The caller broke the protocol, and is told so in the close that follows. What it has sent may be incomplete.
    webSocket.on('error', () => guest.destroy())
    webSocket.on('close', code => this.#closed(code))
    guest.on('data', (piece: Buffer) => this.#output.send(piece))
    guest.on('drain', () => this.#input.end('full'))
    guest.once('end', () => this.#guestEnded())
    guest.once('error', error => {
      this.#lostWith = error
    })
    guest.once('close', () => this.#guestClosed())
  }

  /** Ends it on both sides, and tells the caller why. */
  close(error: ApiError): void {
    this.#disconnect(tunnelCloseCode(error.code), error.code)
  }

  /** Asks the caller for a sign of life now and then, and disconnects one that has given none for too long. */
  check({ askEveryMs, silentMs }: Patience, now = performance.now()): void {
    const { webSocket } = this.#parts
    // While nothing is read from the caller, nothing is heard. That it is gone is noticed only by writing to it, so it is asked
    // every time.
    const isDeaf = this.#input.areAny
    if (isDeaf) this.#heardAt = now
    if (now - this.#heardAt > silentMs) webSocket.terminate()
    else if (isDeaf || now - this.#askedAt >= askEveryMs) this.#ask(now)
  }

  #ask(now: number): void {
    const { webSocket } = this.#parts
    this.#askedAt = now
    if (webSocket.readyState === webSocket.OPEN) webSocket.ping()
  }

  #heard(): void {
    this.#heardAt = performance.now()
  }

  #receive(data: RawData, isBinary: boolean): void {
    this.#heard()
    if (this.#isClosing) return
    if (!isBinary || !Buffer.isBuffer(data)) this.#disconnect(1003, 'only binary messages are allowed')
    else if (this.#hasCallerEnded) this.#disconnect(1002, 'there can be no message after the empty one')
    else if (data.length === 0) this.#callerEnded()
    else if (!this.#isGuestGone) this.#write(data)
  }

  #write(data: Buffer): void {
    const { guest, pace, onBytes } = this.#parts
    onBytes('in', data.length)
    // Small messages that came together are written together.
    if (guest.writableCorked === 0) {
      guest.cork()
      process.nextTick(() => guest.uncork())
    }
    if (!guest.write(data)) this.#input.begin('full')
    const pauseMs = pace.pauseAfter(data.length)
    if (pauseMs > 0) this.#input.last('pace', pauseMs)
  }

  #callerEnded(): void {
    this.#hasCallerEnded = true
    this.#parts.guest.end()
    this.#closeIfOver()
  }

  #guestEnded(): void {
    if (this.#isClosing || this.#hasGuestEnded) return
    this.#hasGuestEnded = true
    this.#output.end(() => this.#closeIfOver())
  }

  /** The caller may still have to read what was sent, and takes its time for that. */
  #closeIfOver(): void {
    const isOver = this.#hasGuestEnded && (this.#hasCallerEnded || this.#isGuestGone)
    if (isOver && this.#output.isSent) this.#parts.webSocket.close(1000)
  }

  #guestClosed(): void {
    if (this.#isClosing) return
    if (this.#hasGuestEnded && !this.#lostWith) {
      this.#isGuestGone = true
      this.#input.endAll()
      this.#closeIfOver()
      return
    }
    this.#isClosing = true
    this.#parts.whyLost(this.#lostWith).then(
      error => this.close(error),
      () => this.#parts.webSocket.terminate(),
    )
  }

  #disconnect(code: number, reason: string): void {
    const { webSocket, guest } = this.#parts
    this.#isClosing = true
    guest.destroy()
    this.#input.endAll()
    webSocket.close(code, reason)
    setTimeout(() => webSocket.terminate(), noticeMs).unref()
  }

  #closed(code: number): void {
    const { guest, onEnd } = this.#parts
    this.#isClosing = true
    this.#input.endAll()
    onEnd()
    if (guest.destroyed) return
    // Nobody waits for what a caller that vanished would still have got.
    if (code === 1006) {
      guest.destroy()
      return
    }
    guest.end()
    this.#output.discard()
    const late = setTimeout(() => guest.destroy(), lingerMs)
    guest.once('close', () => clearTimeout(late))
  }
}
