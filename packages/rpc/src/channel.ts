import { Duplex } from 'node:stream'
import type { ChannelKind } from './method.ts'

/** What a sender may have on the way before the receiver has taken some of it. */
export const windowBytes = 1024 * 1024
/** Pieces are short, so that a call does not wait long behind a large transfer. */
const pieceBytes = 64 * 1024
const bufferedMessages = 64
/** The longest message. A peer that sends a longer one is not trusted any further. */
export const maxMessageBytes = 32 * 1024 * 1024

/** What a channel needs from the link that carries it. */
export interface ChannelLink {
  sendData(id: number, piece: Uint8Array, isPart: boolean): void
  sendEnd(id: number): void
  sendReset(id: number, error: Error | null): void
  sendCredit(id: number, bytes: number): void
  /** Settles when the link can take more. */
  drained(): Promise<void>
  closed(id: number): void
}

/** A stream of a call, in both directions, with flow control of its own. */
export class Channel extends Duplex {
  readonly #id: number
  readonly #kind: ChannelKind
  readonly #link: ChannelLink
  #credit = windowBytes
  #onCredit: (() => void) | undefined
  /** What the peer may still send. */
  #allowed = windowBytes
  /** What was received but not taken yet. */
  #untaken = 0
  #parts: Buffer[] = []
  #partBytes = 0
  #isReset = false

  constructor(id: number, kind: ChannelKind, link: ChannelLink) {
    super({
      readableObjectMode: kind === 'messages',
      ...(kind === 'messages' && { readableHighWaterMark: bufferedMessages }),
      emitClose: true,
    })
    this.#id = id
    this.#kind = kind
    this.#link = link
    // A peer that ends must not crash this process; whoever uses the channel sees the error as well.
    this.on('error', () => {})
  }

  /** Throws if the peer sends more than it was allowed to. */
  receive(piece: Buffer, isPart: boolean): void {
    this.#allowed -= piece.length
    if (this.#allowed < 0) throw new Error('a peer that ignores flow control')
    if (this.destroyed) return
    this.#untaken += piece.length
    let wantsMore = true
    if (this.#kind === 'bytes') wantsMore = this.push(piece)
    else {
      // The piece is a part of a larger buffer, which must not be kept for it.
      this.#parts.push(Buffer.from(piece))
      this.#partBytes += piece.length
      if (this.#partBytes > maxMessageBytes) throw new Error('a message that is too long')
      if (!isPart) wantsMore = this.push(this.#takeMessage())
    }
    if (wantsMore || isPart) this.#take()
  }

  #takeMessage(): Buffer {
    const [first = Buffer.of()] = this.#parts
    const message = this.#parts.length > 1 ? Buffer.concat(this.#parts) : first
    this.#parts = []
    this.#partBytes = 0
    return message
  }

  receiveEnd(): void {
    if (!this.destroyed) this.push(null)
  }

  receiveReset(error: Error | undefined): void {
    this.#isReset = true
    this.destroy(error)
  }

  receiveCredit(bytes: number): void {
    this.#credit += bytes
    this.#onCredit?.()
  }

  override _read(): void {
    this.#take()
  }

  #take(): void {
    if (this.#untaken === 0 || this.destroyed) return
    this.#allowed += this.#untaken
    this.#link.sendCredit(this.#id, this.#untaken)
    this.#untaken = 0
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    if (chunk.length <= pieceBytes && chunk.length <= this.#credit) {
      this.#credit -= chunk.length
      this.#link.sendData(this.#id, chunk, false)
      this.#link.drained().then(() => done(), done)
      return
    }
    this.#send(chunk).then(() => done(), done)
  }

  async #send(chunk: Buffer): Promise<void> {
    for (let at = 0; at < chunk.length && !this.destroyed; ) {
      if (this.#credit === 0)
        await new Promise<void>(resolve => {
          this.#onCredit = resolve
        })
      const end = Math.min(chunk.length, at + pieceBytes, at + this.#credit)
      this.#credit -= end - at
      this.#link.sendData(this.#id, chunk.subarray(at, end), end < chunk.length)
      at = end
      await this.#link.drained()
    }
  }

  override _final(done: () => void): void {
    this.#link.sendEnd(this.#id)
    done()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#onCredit?.()
    const isOver = this.readableEnded && this.writableFinished
    if (!isOver && !this.#isReset) this.#link.sendReset(this.#id, error)
    this.#link.closed(this.#id)
    done(error)
  }
}
