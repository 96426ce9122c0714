import { Duplex } from 'node:stream'
import { Kcp, KcpError } from '@sandglass/wire/kcp'
import { FloodLimit } from './flood-limit.ts'
import { conversation, type Deadlines, type Windows } from './settings.ts'
import { clock, type ScheduledTask, type TimerQueue } from './timer-queue.ts'

export interface KcpStreamParts {
  readonly conv: number
  readonly send: (datagram: Uint8Array) => void
  readonly timerQueue: TimerQueue
  readonly deadlines: Deadlines
  readonly windows: Windows
}

/**
 * A conversation as a stream. Writes wait for the peer's window, and unread data closes ours. KCP has no way to end a
 * conversation: `peerLeft` ends this side, and whoever created the stream notifies the peer when it has closed.
 */
export class KcpStream extends Duplex implements ScheduledTask {
  readonly #kcp: Kcp
  readonly #timerQueue: TimerQueue
  readonly #deadlines: Deadlines
  readonly #floodLimit: FloodLimit
  #lastReceivedAt = clock()
  #keepAliveAt: number
  /** Set when everything is written. From then on the peer has `idleMs` to leave. */
  #leaveAt = Number.POSITIVE_INFINITY
  #reading = false
  #peerLeft = false
  #unwritten: { bytes: Uint8Array; done: () => void } | undefined
  #finished: (() => void) | undefined

  constructor({ conv, send, timerQueue, deadlines, windows }: KcpStreamParts) {
    super()
    this.#kcp = new Kcp({ ...conversation, ...windows, conv, send })
    this.#timerQueue = timerQueue
    this.#deadlines = deadlines
    this.#floodLimit = new FloodLimit(this.#lastReceivedAt)
    this.#keepAliveAt = this.#lastReceivedAt + deadlines.keepAliveMs
    timerQueue.at(this, this.#keepAliveAt)
  }

  /** Processes a datagram from the peer. Invalid ones are ignored; too many useless ones end the stream. */
  receive(datagram: Uint8Array): void {
    if (this.destroyed) return
    const now = clock()
    if (!this.#floodLimit.allows(this.#take(datagram, now), now)) {
      this.destroy(new Error('the peer is flooding: it sent too many useless datagrams'))
      return
    }
    this.#deliver()
    this.#timerQueue.soon(this)
  }

  /** Called when the peer has ended the conversation. What has arrived can still be read, and writes are dropped. */
  peerLeft(): void {
    this.#peerLeft = true
    this.#dropWrites()
    this.#deliver()
  }

  runDue(now: number): number {
    const { idleMs, keepAliveMs } = this.#deadlines
    const goneAt = this.#lastReceivedAt + idleMs
    if (now >= goneAt)
      this.destroy(new Error(`the peer is gone: nothing was received from it for ${idleMs} ms`))
    if (now >= this.#leaveAt) this.destroy()
    if (this.destroyed) return Number.POSITIVE_INFINITY
    if (this.#peerLeft) return goneAt
    if (now >= this.#keepAliveAt) {
      this.#kcp.probe()
      this.#keepAliveAt = now + keepAliveMs
    }
    const flushAt = this.#flush(now)
    return Math.min(goneAt, this.#leaveAt, this.#keepAliveAt, flushAt)
  }

  override _read(): void {
    this.#reading = true
    this.#deliver()
    this.#timerQueue.soon(this)
  }

  override _write(bytes: Uint8Array, _encoding: BufferEncoding, done: () => void): void {
    this.#unwritten = { bytes, done }
    if (this.#peerLeft) this.#dropWrites()
    else this.#timerQueue.soon(this)
  }

  override _final(done: () => void): void {
    this.#finished = done
    if (this.#peerLeft) this.#dropWrites()
    else this.#timerQueue.soon(this)
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#timerQueue.remove(this)
    // Send the last bytes once, such as a TLS alert. Whether they arrive does not matter.
    if (this.#unwritten) this.#kcp.write(this.#unwritten.bytes)
    if (!this.#peerLeft) this.#kcp.flush(clock())
    this.#unwritten = undefined
    done(error)
  }

  #take(datagram: Uint8Array, now: number): boolean {
    try {
      const useful = this.#kcp.receive(datagram, now)
      this.#lastReceivedAt = now
      this.#keepAliveAt = now + this.#deadlines.keepAliveMs
      return useful
    } catch (error) {
      if (error instanceof KcpError) return false
      throw error
    }
  }

  /** Passes received data to the reader for as long as it accepts more. */
  #deliver(): void {
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

  /** Passes pending writes to KCP for as long as it accepts them and the windows allow. */
  #flush(now: number): number {
    let flushAt: number
    do {
      this.#writePending()
      flushAt = this.#kcp.flush(now)
    } while (this.#unwritten && this.#kcp.writableBytes > 0)
    this.#settle(now)
    return flushAt
  }

  #writePending(): void {
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
    this.#timerQueue.soon(this)
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
