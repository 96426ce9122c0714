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
import { type Rate, RateLimiter } from './rate-limiter.ts'
import type { RoomTimeouts } from './timeouts.ts'

/** Somewhat more than a person can cause. */
const rates: Readonly<Record<number, Rate>> = {
  [channel.control]: { burst: 40, perSecond: 20 },
  [channel.picture]: { burst: 600, perSecond: 300 },
  [channel.input]: { burst: 1000, perSecond: 500 },
  [channel.clipboard]: { burst: 5, perSecond: 2 },
  [channel.statistics]: { burst: 40, perSecond: 20 },
}

const maxHelloBytes = 8 * 1024
const maxFrameBytes = 64 * 1024
const maxClipboardBytes = 1024 * 1024

/** More than a viewer that may lag behind can have queued. A peer with more in its queue has stalled. */
const maxQueuedBytes = 24 * 1024 * 1024
/** How long the peer may take to read the goodbye before the connection is destroyed. */
const goodbyeTimeoutMs = 1000

/** After these codes the same token is never admitted again. */
const finalCodes = new Set<ErrorCode>([
  'live.TOKEN_INVALID',
  'live.TOKEN_EXPIRED',
  'live.TOKEN_REVOKED',
  'live.ROOM_GONE',
])

/**
 * A connection of one peer, as frames. A peer that violates the protocol, exceeds a rate limit or stops reading gets
 * a goodbye and is disconnected.
 */
export class Connection {
  readonly arrival: Arrival
  readonly #timeouts: RoomTimeouts
  readonly #frames: FrameStream
  readonly #rateLimiters = new Map<number, RateLimiter>()
  readonly #heartbeat: NodeJS.Timeout
  readonly #detach: () => void
  #onFrame: ((frame: Frame) => void) | undefined
  /** Frames that arrived before `listen` was called. The stream is paused meanwhile, so this stays small. */
  #pending: Frame[] = []
  /** Everything the peer sent before it was authenticated, in case another process has to receive it. */
  #sent: Uint8Array[] = []
  #isAuthenticated = false
  #isOver = false
  #isHandedOver = false
  #heardAtMs = performance.now()
  #blockedSinceMs: number | undefined
  #pings = 0
  /** Called once, when the connection can no longer be used. */
  onEnd: () => void = () => {}

  constructor(arrival: Arrival, timeouts: RoomTimeouts) {
    this.arrival = arrival
    this.#timeouts = timeouts
    this.#frames = new FrameStream(number => this.#maxBytesOf(number))
    const { stream } = arrival
    const onData = (chunk: Uint8Array) => this.#receive(chunk)
    const onDrain = () => {
      this.#blockedSinceMs = undefined
    }
    // A peer that ended its side has left.
    const onEnd = () => void stream.destroy()
    stream.on('data', onData).on('drain', onDrain).on('end', onEnd)
    const unwatch = finished(stream, () => this.#end())
    this.#detach = () => {
      stream.off('data', onData).off('drain', onDrain).off('end', onEnd)
      unwatch()
    }
    this.#heartbeat = setInterval(() => this.#onHeartbeat(), timeouts.pingEveryMs).unref()
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** How long ago something was last received from the peer. */
  get unheardMs(): number {
    return performance.now() - this.#heardAtMs
  }

  /** Makes the peer respond, so that `unheardMs` is up to date. */
  ping(): void {
    this.send(encodeStatistics({ type: 'ping', number: this.#pings++ % 2 ** 32 }))
  }

  /** Delivers only the first frame and holds back all others until `listen` is called. */
  first(onFrame: (frame: Frame) => void): void {
    this.#onFrame = frame => {
      this.#onFrame = undefined
      this.arrival.stream.pause()
      onFrame(frame)
    }
  }

  /** Called once the peer is authenticated: higher limits apply from now on. */
  listen(onFrame: (frame: Frame) => void): void {
    this.#isAuthenticated = true
    this.#sent = []
    this.#onFrame = onFrame
    this.#guard(() => {
      for (const frame of this.#pending.splice(0)) this.#dispatch(frame)
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

  /** Releases a stream that another process takes over, and returns everything the peer has sent so far. */
  handOver(): Uint8Array {
    const sent = Buffer.concat(this.#sent)
    this.#isHandedOver = true
    this.#detach()
    this.#end()
    return sent
  }

  /** Sends the reason and then closes the connection. */
  goodbye(reason: ApiError): void {
    // A frame from this process could land in the middle of a frame from the other one.
    if (this.#isHandedOver) this.arrival.stream.destroy()
    if (this.#isOver) return
    const { code, message } = reason
    const { stream } = this.arrival
    if (stream.writable)
      stream.end(
        encodeControl({ kind: 'goodbye', code, message, isFinal: finalCodes.has(code) } as RoomMessage),
      )
    // Keep reading and discard the data, since some transports drop the goodbye if unread data is left.
    this.#end()
    stream.resume()
    setTimeout(() => stream.destroy(), goodbyeTimeoutMs).unref()
  }

  #maxBytesOf(channelNumber: number): number {
    if (!this.#isAuthenticated) return maxHelloBytes
    return channelNumber === channel.clipboard ? maxClipboardBytes : maxFrameBytes
  }

  #receive(chunk: Uint8Array): void {
    if (this.#isOver) return
    this.#heardAtMs = performance.now()
    if (!this.#isAuthenticated) this.#sent.push(chunk)
    this.#guard(() => {
      for (const frame of this.#frames.receive(chunk)) {
        if (this.#isOver) return
        if (this.#onFrame) this.#dispatch(frame)
        else this.#pending.push(frame)
      }
    })
  }

  #dispatch(frame: Frame): void {
    const rate = rates[frame.channel]
    if (!rate) throw new FrameError(`a viewer has no channel ${frame.channel}`)
    const rateLimiter = this.#rateLimiters.get(frame.channel) ?? new RateLimiter(rate)
    this.#rateLimiters.set(frame.channel, rateLimiter)
    if (!rateLimiter.take()) this.goodbye(new ApiError('live.TOO_FAST'))
    else if (this.#isAuthenticated && frame.channel === channel.statistics) this.#echo(frame)
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

  #onHeartbeat(): void {
    const nowMs = performance.now()
    const waitsSinceMs = Math.min(this.#heardAtMs, this.#blockedSinceMs ?? nowMs)
    if (nowMs - waitsSinceMs > this.#timeouts.patienceMs) this.goodbye(new ApiError('live.STALLED'))
    else if (this.#isAuthenticated) this.ping()
  }

  #end(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#pending = []
    this.#sent = []
    clearInterval(this.#heartbeat)
    this.onEnd()
  }
}
