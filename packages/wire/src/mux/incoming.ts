import { ByteQueue } from './byte-queue.ts'
import { windowBytes } from './frame.ts'
import { MuxError } from './mux-error.ts'

/** Credit is given back in pieces of at least this size, so that bulk data costs few frames. */
const creditStep = windowBytes / 4

/** The receiving direction of a stream. It holds at most a window of bytes that nobody has read. */
export class Incoming {
  readonly #queue = new ByteQueue()
  #window = windowBytes
  #owed = 0
  #hasEnded = false

  /** Whether the other side has sent its end. */
  get hasEnded(): boolean {
    return this.#hasEnded
  }

  /** Whether the end was received and everything before it was read. */
  get isDone(): boolean {
    return this.#hasEnded && this.#queue.length === 0
  }

  get held(): number {
    return this.#queue.length
  }

  get owesCredit(): boolean {
    return this.#owed >= creditStep && !this.#hasEnded
  }

  push(bytes: Uint8Array): void {
    if (this.#hasEnded) throw new MuxError('DATA after the end of its stream')
    if (bytes.length > this.#window) throw new MuxError('DATA exceeds the credit of its stream')
    this.#window -= bytes.length
    this.#queue.push(bytes)
  }

  end(): void {
    if (this.#hasEnded) throw new MuxError('a second END in the same direction of a stream')
    this.#hasEnded = true
  }

  read(): Uint8Array | undefined {
    const bytes = this.#queue.take()
    this.#owed += bytes?.length ?? 0
    return bytes
  }

  /** Returns the credit that is owed, which the caller sends. */
  giveCredit(): number {
    const given = this.#owed
    this.#owed = 0
    this.#window += given
    return given
  }

  /** Forgets what nobody will read. */
  discard(): void {
    this.#hasEnded = true
    this.#queue.clear()
  }
}
