import { Duplex } from 'node:stream'
import { Kcp, KcpError } from '@sandglass/wire/kcp'
import { type Agenda, type Appointment, clock } from './agenda.ts'
import { Patience } from './patience.ts'
import { conversation, type Deadlines, type Windows } from './settings.ts'

export interface KcpStreamParts {
  readonly conv: number
  readonly send: (datagram: Uint8Array) => void
  readonly agenda: Agenda
  readonly deadlines: Deadlines
  readonly windows: Windows
}

/**
 * A conversation as a stream. What is written waits for the peer's window, and what is not read closes ours. KCP has no end of its own:
 * `peerLeft` tells of it, and whoever made the stream tells the peer when it has closed.
 */
export class KcpStream extends Duplex implements Appointment {
  readonly #kcp: Kcp
  readonly #agenda: Agenda
  readonly #deadlines: Deadlines
  readonly #patience: Patience
  #heardAt = clock()
  #askAt: number
  /** Set when everything is written: after that the peer has as long to leave as it may be silent. */
  #leaveAt = Number.POSITIVE_INFINITY
  #reading = false
  #peerLeft = false
  #unwritten: { bytes: Uint8Array; done: () => void } | undefined
  #finished: (() => void) | undefined

  constructor({ conv, send, agenda, deadlines, windows }: KcpStreamParts) {
    super()
    this.#kcp = new Kcp({ ...conversation, ...windows, conv, send })
    this.#agenda = agenda
    this.#deadlines = deadlines
    this.#patience = new Patience(this.#heardAt)
    this.#askAt = this.#heardAt + deadlines.keepAliveMs
    agenda.at(this, this.#askAt)
  }

  /** A datagram came from the peer. One that is none of KCP's is ignored; too many of no use end the stream. */
  receive(datagram: Uint8Array): void {
    if (this.destroyed) return
    const now = clock()
    if (!this.#patience.bears(this.#take(datagram, now), now)) {
      this.destroy(new Error('the peer floods: it sent too many datagrams that are of no use'))
      return
    }
    this.#pass()
    this.#agenda.soon(this)
  }

  /** The peer has ended the conversation: what came is still read, and what is written goes nowhere. */
  peerLeft(): void {
    this.#peerLeft = true
    this.#dropWrites()
    this.#pass()
  }

  keep(now: number): number {
    const { idleMs, keepAliveMs } = this.#deadlines
    const goneAt = this.#heardAt + idleMs
    if (now >= goneAt) this.destroy(new Error(`the peer is gone: nothing was heard of it for ${idleMs} ms`))
    if (now >= this.#leaveAt) this.destroy()
    if (this.destroyed) return Number.POSITIVE_INFINITY
    if (this.#peerLeft) return goneAt
    if (now >= this.#askAt) {
      this.#kcp.probe()
      this.#askAt = now + keepAliveMs
    }
    const flushAt = this.#flush(now)
    return Math.min(goneAt, this.#leaveAt, this.#askAt, flushAt)
  }

  override _read(): void {
    this.#reading = true
    this.#pass()
    this.#agenda.soon(this)
  }

  override _write(bytes: Uint8Array, _encoding: BufferEncoding, done: () => void): void {
    this.#unwritten = { bytes, done }
    if (this.#peerLeft) this.#dropWrites()
    else this.#agenda.soon(this)
  }

  override _final(done: () => void): void {
    this.#finished = done
    if (this.#peerLeft) this.#dropWrites()
    else this.#agenda.soon(this)
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#agenda.remove(this)
    // The last words, such as what TLS found wrong: sent once, and heard or not.
    if (this.#unwritten) this.#kcp.write(this.#unwritten.bytes)
    if (!this.#peerLeft) this.#kcp.flush(clock())
    this.#unwritten = undefined
    done(error)
  }

  #take(datagram: Uint8Array, now: number): boolean {
    try {
      const useful = this.#kcp.receive(datagram, now)
      this.#heardAt = now
      this.#askAt = now + this.#deadlines.keepAliveMs
      return useful
    } catch (error) {
      if (error instanceof KcpError) return false
      throw error
    }
  }

  /** Gives the reader what is there, as long as it takes it. */
  #pass(): void {
    while (this.#reading) {
      const data = this.#kcp.read()
      if (!data) break
      this.#reading = this.push(data)
    }
    if (this.#reading && this.#peerLeft) {
      this.#reading = false
      this.push(null)
    }
  }

  /** Hands KCP what waits, as long as it takes it and the windows let it go. */
  #flush(now: number): number {
    let flushAt: number
    do {
      this.#give()
      flushAt = this.#kcp.flush(now)
    } while (this.#unwritten && this.#kcp.writableBytes > 0)
    this.#settle(now)
    return flushAt
  }

  #give(): void {
    const waiting = this.#unwritten
    if (!waiting) return
    waiting.bytes = waiting.bytes.subarray(this.#kcp.write(waiting.bytes))
    if (waiting.bytes.length > 0) return
    this.#unwritten = undefined
    waiting.done()
  }

  #settle(now: number): void {
    if (!this.#finished || !this.#kcp.settled) return
    this.#leaveAt = now + this.#deadlines.idleMs
    this.#finished()
    this.#finished = undefined
    this.#agenda.soon(this)
  }

  #dropWrites(): void {
    const done = this.#unwritten?.done
    const finished = this.#finished
    this.#unwritten = undefined
    this.#finished = undefined
    done?.()
    finished?.()
  }
}
