import { encodeFrame, type Frame, frameType, nameOf } from './frame.ts'
import { Incoming } from './incoming.ts'
import { MuxError } from './mux-error.ts'
import { Outgoing } from './outgoing.ts'
import { refusalText } from './refusal-text.ts'

/** What a stream reports. Callbacks may use the stream. None is called after `refused` or `reset`. */
export interface StreamEvents {
  accepted(): void
  refused(message: string): void
  /** {@link MuxStream.read} has bytes or the end. */
  readable(): void
  /** The last piece was sent, and another can be written. */
  written(): void
  /** The other side ended the stream, and what was not read is lost. */
  reset(): void
}

/** What a stream needs of its session. */
export interface StreamHost {
  /** The stream has a control frame to send. */
  hurry(stream: MuxStream): void
  /** The stream has data or an end to send. */
  queue(stream: MuxStream): void
  /** The stream is over. */
  forget(stream: MuxStream): void
}

type State = 'opening' | 'asked' | 'open' | 'resetting' | 'closed'

/** One stream of an opener's session. */
export class MuxStream {
  readonly number: number
  readonly #target: string
  readonly #host: StreamHost
  readonly #events: StreamEvents
  readonly #incoming = new Incoming()
  readonly #outgoing = new Outgoing()
  #state: State = 'opening'
  #endsBeforeReset = false

  constructor(number: number, target: string, host: StreamHost, events: StreamEvents) {
    this.number = number
    this.#target = target
    this.#host = host
    this.#events = events
    host.hurry(this)
  }

  /** How many received bytes nobody has read. */
  get held(): number {
    return this.#incoming.held
  }

  /** Returns received bytes, null at the end, and undefined if there is nothing now. Reading gives the sender credit. */
  read(): Uint8Array | null | undefined {
    const bytes = this.#incoming.read()
    if (this.#incoming.owesCredit) this.#host.hurry(this)
    this.#closeIfDone()
    return bytes ?? (this.#incoming.hasEnded ? null : undefined)
  }

  /**
   * Sends bytes, which must not be changed until `written` is called. Only then another piece can be written.
   * Returns false if nothing has to be waited for.
   */
  write(bytes: Uint8Array): boolean {
    this.#outgoing.write(bytes)
    this.#queue()
    return this.#outgoing.isBusy
  }

  /** Ends the sending direction after everything that was written. */
  end(): void {
    this.#outgoing.end()
    this.#queue()
  }

  /** Ends both directions now; what was not sent or read is lost. */
  reset(): void {
    if (this.#state === 'closed' || this.#state === 'resetting') return
    const isKnown = this.#state !== 'opening'
    this.#endsBeforeReset = this.#state === 'open' && !this.#outgoing.isBusy && this.#outgoing.isReady
    this.#discard(isKnown ? 'resetting' : 'closed')
    if (isKnown) this.#host.hurry(this)
    else this.#host.forget(this)
  }

  /** Handles a frame of the other side. For the session. */
  receive({ type, payload }: Frame): void {
    // What was under way when this side ended the stream.
    if (this.#state === 'resetting' || this.#state === 'closed') return
    if (this.#state !== 'open') this.#answered(type, payload)
    else if (type === frameType.data) {
      this.#incoming.push(payload)
      this.#events.readable()
    } else if (type === frameType.end) {
      this.#incoming.end()
      this.#closeIfDone()
      this.#events.readable()
    } else if (type === frameType.credit) {
      this.#outgoing.addCredit(new DataView(payload.buffer, payload.byteOffset).getUint32(0))
      this.#queue()
    } else if (type === frameType.reset) this.#wasReset()
    else throw new MuxError(`${nameOf(type)} for a stream that is open`)
  }

  /** The next control frame. For the session. */
  nextControl(): Uint8Array | undefined {
    if (this.#state === 'opening') {
      this.#state = 'asked'
      return encodeFrame(frameType.open, this.number, new TextEncoder().encode(this.#target))
    }
    if (this.#endsBeforeReset) {
      this.#endsBeforeReset = false
      this.#host.hurry(this)
      return encodeFrame(frameType.end, this.number)
    }
    if (this.#state === 'resetting') {
      this.#state = 'closed'
      this.#host.forget(this)
      return encodeFrame(frameType.reset, this.number)
    }
    if (this.#state !== 'open' || !this.#incoming.owesCredit) return undefined
    const credit = new Uint8Array(4)
    new DataView(credit.buffer).setUint32(0, this.#incoming.giveCredit())
    return encodeFrame(frameType.credit, this.number, credit)
  }

  /** The next frame of data, or the end. For the session. */
  nextData(): Uint8Array | undefined {
    if (this.#state !== 'open') return undefined
    const wasBusy = this.#outgoing.isBusy
    const frame = this.#outgoing.next(this.number)
    this.#queue()
    this.#closeIfDone()
    if (wasBusy && !this.#outgoing.isBusy) this.#events.written()
    return frame
  }

  #answered(type: number, payload: Uint8Array): void {
    if (this.#state === 'opening') throw new MuxError(`${nameOf(type)} for a stream that was never opened`)
    if (type === frameType.accept) {
      this.#state = 'open'
      this.#queue()
      this.#events.accepted()
    } else if (type === frameType.refuse) {
      this.#discard('closed')
      this.#host.forget(this)
      this.#events.refused(refusalText(payload))
    } else throw new MuxError(`${nameOf(type)} for a stream that was not accepted yet`)
  }

  /** After its end, the other side has sent everything; it only wants nothing any more. */
  #wasReset(): void {
    const wasBusy = this.#outgoing.isBusy
    if (this.#incoming.hasEnded) {
      this.#outgoing.discard()
      this.#closeIfDone()
      if (wasBusy) this.#events.written()
    } else {
      this.#discard('closed')
      this.#host.forget(this)
      this.#events.reset()
    }
  }

  #queue(): void {
    if (this.#state === 'open' && this.#outgoing.isReady) this.#host.queue(this)
  }

  #discard(state: State): void {
    this.#state = state
    this.#incoming.discard()
    this.#outgoing.discard()
  }

  #closeIfDone(): void {
    if (this.#state !== 'open' || !this.#incoming.isDone || !this.#outgoing.isDone) return
    this.#state = 'closed'
    this.#host.forget(this)
  }
}
