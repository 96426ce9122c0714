import { finished } from 'node:stream'
import { ApiError, type ErrorCode, type RoomMessage } from '@sandglass/protocol'
import {
  channel,
  encodeControl,
  encodeStatistics,
  type Frame,
  FrameError,
  FrameStream,
  parseStatistics,
} from '@sandglass/wire/frames'
import type { Arrival } from '../transports/arrival.ts'
import { Allowance, type Rate } from './allowance.ts'
import type { Times } from './times.ts'

/** What a person's hands and eyes can bring about, and some more. */
const rates: Readonly<Record<number, Rate>> = {
  [channel.control]: { burst: 40, perSecond: 20 },
  [channel.picture]: { burst: 600, perSecond: 300 },
  [channel.input]: { burst: 1000, perSecond: 500 },
  [channel.clipboard]: { burst: 5, perSecond: 2 },
  [channel.statistics]: { burst: 40, perSecond: 20 },
}

const longestHello = 8 * 1024
const longestFrame = 64 * 1024
const longestClipboard = 1024 * 1024

/** More than this that the peer has not taken is more than the pictures that it may be behind by. */
const maxQueuedBytes = 24 * 1024 * 1024
/** The last words have so long to get through. */
const partingMs = 1000

/** Codes after which the same token is not let in again. */
const finalCodes = new Set<ErrorCode>([
  ...(['live.TOKEN_INVALID', 'live.TOKEN_EXPIRED', 'live.TOKEN_REVOKED', 'live.ROOM_GONE'] as const),
])

/** A peer by its frames. One that breaks the rules, sends too fast or takes nothing is told goodbye and dropped. */
export class Connection {
  readonly arrival: Arrival
  readonly #times: Times
  readonly #frames: FrameStream
  readonly #allowances = new Map<number, Allowance>()
  readonly #pulse: NodeJS.Timeout
  readonly #detach: () => void
  #onFrame: ((frame: Frame) => void) | undefined
  /** What came before anybody listened; no more comes meanwhile. */
  #early: Frame[] = []
  /** The bytes that came before the peer was known: another process may have to hear them. */
  #sent: Uint8Array[] = []
  #isKnown = false
  #isOver = false
  #isHandedOver = false
  #heardAtMs = performance.now()
  #blockedSinceMs: number | undefined
  #pings = 0
  /** Called once, when the connection is of no use any more. */
  onEnd: () => void = () => {}

  constructor(arrival: Arrival, times: Times) {
    this.arrival = arrival
    this.#times = times
    this.#frames = new FrameStream(number => this.#longest(number))
    const { stream } = arrival
    const onData = (chunk: Uint8Array) => this.#receive(chunk)
    const onDrain = () => {
      this.#blockedSinceMs = undefined
    }
    // A peer that will say nothing more has left.
    const onEnd = () => void stream.destroy()
    stream.on('data', onData).on('drain', onDrain).on('end', onEnd)
    const unwatch = finished(stream, () => this.#end())
    this.#detach = () => {
      stream.off('data', onData).off('drain', onDrain).off('end', onEnd)
      unwatch()
    }
    this.#pulse = setInterval(() => this.#beat(), times.pingEveryMs).unref()
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** How long ago the peer was heard last. */
  get unheardMs(): number {
    return performance.now() - this.#heardAtMs
  }

  /** Has the peer say something. */
  ping(): void {
    this.send(encodeStatistics({ type: 'ping', number: this.#pings++ % 2 ** 32 }))
  }

  /** Hands over the first frame alone, and holds back what follows until `listen`. */
  first(onFrame: (frame: Frame) => void): void {
    this.#onFrame = frame => {
      this.#onFrame = undefined
      this.arrival.stream.pause()
      onFrame(frame)
    }
  }

  /** The peer is known: from now on it may send more. */
  listen(onFrame: (frame: Frame) => void): void {
    this.#isKnown = true
    this.#sent = []
    this.#onFrame = onFrame
    this.#guard(() => {
      for (const frame of this.#early.splice(0)) this.#dispatch(frame)
    })
    this.arrival.stream.resume()
  }

  say(message: RoomMessage): void {
    this.send(encodeControl(message))
  }

  send(frame: Uint8Array): void {
    const { stream } = this.arrival
    if (this.#isOver || !stream.writable) return
    if (stream.writableLength > maxQueuedBytes) this.goodbye(new ApiError('live.STALLED'))
    else if (!stream.write(frame)) this.#blockedSinceMs ??= performance.now()
  }

  /** Lets go of a stream that goes on in another process, and gives all that the peer has sent so far. */
  handOver(): Uint8Array {
    const sent = Buffer.concat(this.#sent)
    this.#isHandedOver = true
    this.#detach()
    this.#end()
    return sent
  }

  /** The last words, for as long as the peer takes them. */
  goodbye(reason: ApiError): void {
    // A frame of this process would land in the middle of one of the other's.
    if (this.#isHandedOver) this.arrival.stream.destroy()
    if (this.#isOver) return
    const { code, message } = reason
    const { stream } = this.arrival
    if (stream.writable)
      stream.end(
        encodeControl({ kind: 'goodbye', code, message, isFinal: finalCodes.has(code) } as RoomMessage),
      )
    // What it still sends is read, lest a transport lose the last words to it, and is thrown away.
    this.#end()
    stream.resume()
    setTimeout(() => stream.destroy(), partingMs).unref()
  }

  #longest(channelNumber: number): number {
    if (!this.#isKnown) return longestHello
    return channelNumber === channel.clipboard ? longestClipboard : longestFrame
  }

  #receive(chunk: Uint8Array): void {
    if (this.#isOver) return
    this.#heardAtMs = performance.now()
    if (!this.#isKnown) this.#sent.push(chunk)
    this.#guard(() => {
      for (const frame of this.#frames.receive(chunk)) {
        if (this.#isOver) return
        if (this.#onFrame) this.#dispatch(frame)
        else this.#early.push(frame)
      }
    })
  }

  #dispatch(frame: Frame): void {
    const rate = rates[frame.channel]
    if (!rate) throw new FrameError(`a viewer has no channel ${frame.channel}`)
    const allowance = this.#allowances.get(frame.channel) ?? new Allowance(rate)
    this.#allowances.set(frame.channel, allowance)
    if (!allowance.take()) this.goodbye(new ApiError('live.TOO_FAST'))
    else if (this.#isKnown && frame.channel === channel.statistics) this.#echo(frame)
    else this.#onFrame?.(frame)
  }

  #echo(frame: Frame): void {
    const { type, number } = parseStatistics(frame)
    if (type === 'ping') this.send(encodeStatistics({ type: 'pong', number }))
  }

  #guard(work: () => void): void {
    try {
      work()
    } catch (error) {
      if (!(error instanceof FrameError)) throw error
      const message = `${error.message.charAt(0).toUpperCase()}${error.message.slice(1)}.`
      this.goodbye(new ApiError('live.PROTOCOL', { message, cause: error }))
    }
  }

  #beat(): void {
    const nowMs = performance.now()
    const waitsSinceMs = Math.min(this.#heardAtMs, this.#blockedSinceMs ?? nowMs)
    if (nowMs - waitsSinceMs > this.#times.patienceMs) this.goodbye(new ApiError('live.STALLED'))
    else if (this.#isKnown) this.ping()
  }

  #end(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#early = []
    this.#sent = []
    clearInterval(this.#pulse)
    this.onEnd()
  }
}
