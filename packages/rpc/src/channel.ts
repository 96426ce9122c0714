import { Duplex } from 'node:stream'
import { lengthOf } from './frames.ts'
import type { ChannelKind } from './method.ts'

/** What a sender may have on the way before the receiver has taken some of it. */
export const windowBytes = 1024 * 1024
const inputWindowBytes = 64 * 1024
/** Pieces are short, so that a call does not wait long behind a large transfer, but not so short that frames cost much. */
const pieceBytes = 256 * 1024
const bufferedMessages = 64
const bufferedBytes = 256 * 1024
/** The longest message. A peer that sends a longer one is not trusted any further. */
export const maxMessageBytes = 32 * 1024 * 1024

/** What a channel needs from the link that carries it. */
export interface ChannelLink {
  /** Calls back when it is done with the pieces, which make one frame. */
  sendData(id: number, pieces: readonly Uint8Array[], isPart: boolean, onWritten: () => void): void
  sendEnd(id: number): void
  sendReset(id: number, error: Error | null): void
  sendCredit(id: number, bytes: number): void
  /** Nothing more comes or goes on this channel. */
  closed(id: number): void
}

/**
 * A stream of a call, in both directions, with flow control of its own. When a write calls back, the channel is done with
 * the buffer, as a socket is.
 */
export class Channel extends Duplex {
  readonly #id: number
  readonly #kind: ChannelKind
  readonly #link: ChannelLink
  readonly #window: number
  #credit: number
  #onCredit: (() => void) | undefined
  #onWritten: (() => void) | undefined
  /** What the peer may still send. */
  #allowed: number
  /** What was received but not taken yet. */
  #untaken = 0
  #parts: Buffer[] = []
  #partBytes = 0
  #isReset = false
  #hasPeerEnded = false
  #hasEnded = false

  constructor(id: number, kind: ChannelKind, link: ChannelLink) {
    super({
      readableObjectMode: kind === 'messages',
      readableHighWaterMark: kind === 'messages' ? bufferedMessages : bufferedBytes,
      writableHighWaterMark: bufferedBytes,
      emitClose: true,
    })
    this.#id = id
    this.#kind = kind
    this.#window = kind === 'input' ? inputWindowBytes : windowBytes
    this.#credit = this.#window
    this.#allowed = this.#window
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
    const wantsMore = this.#kind === 'messages' ? this.#receivePart(piece, isPart) : this.push(piece)
    if (wantsMore) this.#take()
  }

  /** Returns whether more is wanted, which includes the rest of a message. */
  #receivePart(piece: Buffer, isPart: boolean): boolean {
    this.#partBytes += piece.length
    if (this.#partBytes > maxMessageBytes) throw new Error('a message without end')
    // The piece is a part of a larger buffer, which must not be kept for it.
    this.#parts.push(Buffer.from(piece))
    if (isPart) return true
    const message = this.#parts.length === 1 ? this.#parts[0] : Buffer.concat(this.#parts)
    this.#parts = []
    this.#partBytes = 0
    return this.push(message)
  }

  receiveEnd(): void {
    this.#hasPeerEnded = true
    if (!this.destroyed) this.push(null)
    this.#forgetIfOver()
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
    // A frame per piece would cost more than it gains, because the peer may still send most of the window.
    if (this.#untaken < this.#window / 4 || this.destroyed) return
    this.#allowed += this.#untaken
    this.#link.sendCredit(this.#id, this.#untaken)
    this.#untaken = 0
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#sendAll([chunk]).then(() => done(), done)
  }

  override _writev(chunks: { readonly chunk: Buffer }[], done: (error?: Error | null) => void): void {
    this.#sendAll(chunks.map(({ chunk }) => chunk)).then(() => done(), done)
  }

  async #sendAll(chunks: readonly Buffer[]): Promise<void> {
    if (this.#kind !== 'messages') return await this.#send(chunks)
    for (const message of chunks) await this.#send([message])
  }

  /** Sends as much as possible per frame, because the receiver can free only buffers that are within one. */
  async #send(chunks: readonly Buffer[]): Promise<void> {
    for (let left = chunks; left.length > 0 && !this.destroyed; ) {
      if (this.#credit === 0) await this.#credited()
      const { first, rest } = split(left, Math.min(pieceBytes, this.#credit))
      await this.#sendPiece(first, rest.length > 0)
      left = rest
    }
  }

  #credited(): Promise<void> {
    return new Promise(resolve => {
      this.#onCredit = resolve
    })
  }

  #sendPiece(pieces: readonly Buffer[], isPart: boolean): Promise<void> {
    if (this.destroyed || pieces.length === 0) return Promise.resolve()
    this.#credit -= lengthOf(pieces)
    return new Promise(resolve => {
      this.#onWritten = resolve
      this.#link.sendData(this.#id, pieces, isPart, resolve)
    })
  }

  override _final(done: () => void): void {
    this.#hasEnded = true
    this.#link.sendEnd(this.#id)
    this.#forgetIfOver()
    done()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#onCredit?.()
    this.#onWritten?.()
    const isOver = this.#hasPeerEnded && this.#hasEnded
    if (!isOver && !this.#isReset) this.#link.sendReset(this.#id, error)
    this.#link.closed(this.#id)
    done(error)
  }

  /** What was received is kept only by whoever may still read it. */
  #forgetIfOver(): void {
    if (this.#hasPeerEnded && this.#hasEnded) this.#link.closed(this.#id)
  }
}

/** Splits buffers into those before and after so many bytes, without copying them. */
function split(chunks: readonly Buffer[], length: number) {
  let left = length
  const first: Buffer[] = []
  const rest: Buffer[] = []
  for (const chunk of chunks) {
    const taken = Math.min(left, chunk.length)
    left -= taken
    if (taken > 0) first.push(chunk.subarray(0, taken))
    if (taken < chunk.length) rest.push(chunk.subarray(taken))
  }
  return { first, rest }
}
