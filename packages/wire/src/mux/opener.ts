import { encodeFrame, type Frame, frameType, maxStreams, nameOf } from './frame.ts'
import { FrameReader } from './frame-reader.ts'
import { AnswerSearch, encodeGreeting, nonceBytes, version } from './greeting.ts'
import { MuxError } from './mux-error.ts'
import { MuxStream, type StreamEvents } from './stream.ts'
import { Turns } from './turns.ts'

export interface OpenerOptions {
  /** 16 bytes that nobody can guess, new for every session. */
  readonly nonce: Uint8Array
  /** Is called when {@link MuxOpener.next} may have something to send. It must not call it immediately. */
  readonly wake: () => void
  /** Is called when the other side has answered the greeting. */
  readonly ready?: () => void
  /** How much may arrive before the answer: what remained in the byte stream from earlier sessions. */
  readonly maxStaleBytes?: number
}

/** The session of the side that opens streams. The other side may be hostile. */
export class MuxOpener {
  readonly #options: OpenerOptions
  readonly #streams = new Map<number, MuxStream>()
  readonly #control = new Turns()
  readonly #data = new Turns()
  readonly #reader = new FrameReader()
  #search: AnswerSearch | undefined
  #isReady = false
  #greeting: Uint8Array | undefined
  #lastStream = 0
  #pings = 0
  #ping: { isSent: boolean; readonly pong: () => void } | undefined
  #failure: unknown

  constructor(options: OpenerOptions) {
    if (options.nonce.length !== nonceBytes) throw new RangeError(`A nonce has ${nonceBytes} bytes.`)
    this.#options = options
    this.#search = new AnswerSearch(options.nonce, options.maxStaleBytes ?? 16 * 1024 * 1024)
    this.#greeting = encodeGreeting(options.nonce)
  }

  /** How many streams are open, being opened or being reset. */
  get openStreams(): number {
    return this.#streams.size
  }

  /** How many received bytes nobody has read, in all streams. */
  get held(): number {
    return this.#streams.values().reduce((sum, { held }) => sum + held, 0)
  }

  /** Opens a stream to a target that the other side knows by name. It can be used once it is accepted. */
  open(target: string, events: StreamEvents): MuxStream {
    if (!/^[a-z0-9._-]{1,64}$/.test(target))
      throw new RangeError(`"${target}" is not a target; use up to 64 of a-z, 0-9, ".", "_" and "-".`)
    if (this.#streams.size >= maxStreams)
      throw new RangeError(`${maxStreams} streams are open; close one before you open another.`)
    if (this.#lastStream === 0xffff_ffff) throw new RangeError('The session has no stream numbers left.')
    const stream = new MuxStream(++this.#lastStream, target, this.#host, events)
    this.#streams.set(stream.number, stream)
    return stream
  }

  /** Asks the other side whether it is alive. Throws if the last question was not answered. */
  ping(pong: () => void): void {
    if (this.#ping) throw new Error('Wait for the answer to the last ping before you send another.')
    this.#pings++
    this.#ping = { isSent: false, pong }
    this.#options.wake()
  }

  /** Handles what arrived. Throws a MuxError if it violates the protocol, and the same error from then on. */
  receive(chunk: Uint8Array): void {
    if (this.#failure) throw this.#failure
    try {
      const rest = this.#search ? this.#search.receive(chunk) : chunk
      if (!rest) return
      this.#search = undefined
      for (const frame of this.#reader.receive(rest)) this.#handle(frame)
    } catch (error) {
      this.#failure = error
      throw error
    }
  }

  /** The next bytes to send, at most one frame except for the greeting, or nothing at the moment. */
  next(): Uint8Array | undefined {
    if (this.#greeting) {
      const greeting = this.#greeting
      this.#greeting = undefined
      return greeting
    }
    if (!this.#isReady || this.#failure) return undefined
    if (this.#ping && !this.#ping.isSent) {
      this.#ping.isSent = true
      return encodeFrame(frameType.ping, 0, this.#pingPayload())
    }
    return this.#control.next(each => each.nextControl()) ?? this.#data.next(each => each.nextData())
  }

  readonly #host = {
    hurry: (stream: MuxStream) => {
      this.#control.add(stream)
      this.#options.wake()
    },
    queue: (stream: MuxStream) => {
      this.#data.add(stream)
      this.#options.wake()
    },
    forget: (stream: MuxStream) => {
      this.#streams.delete(stream.number)
      this.#control.delete(stream)
      this.#data.delete(stream)
    },
  }

  #handle(frame: Frame): void {
    const { type, stream, payload } = frame
    if (!this.#isReady) this.#answered(payload)
    else if (type === frameType.hello) throw new MuxError('the other side has started over')
    else if (type === frameType.pong) this.#ponged(payload)
    else if (type === frameType.open || type === frameType.ping)
      throw new MuxError(`${nameOf(type)} from the side that accepts streams`)
    else if (stream > this.#lastStream)
      throw new MuxError(`${nameOf(type)} for stream ${stream}, which was never opened`)
    // A frame for a stream that has ended was under way when it did.
    else this.#streams.get(stream)?.receive(frame)
  }

  /** The search ends at the answer, so this is it. */
  #answered(payload: Uint8Array): void {
    const spoken = payload[nonceBytes]
    if (spoken !== version)
      throw new MuxError(`the other side speaks version ${spoken} of the protocol, this side ${version}`)
    this.#isReady = true
    this.#options.ready?.()
    this.#options.wake()
  }

  #ponged(payload: Uint8Array): void {
    const ping = this.#ping
    if (!ping?.isSent || this.#pingPayload().some((byte, at) => byte !== payload[at]))
      throw new MuxError('PONG without a PING')
    this.#ping = undefined
    ping.pong()
  }

  #pingPayload(): Uint8Array {
    const payload = new Uint8Array(8)
    new DataView(payload.buffer).setBigUint64(0, BigInt(this.#pings))
    return payload
  }
}
