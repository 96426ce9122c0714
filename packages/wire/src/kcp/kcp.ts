import { type CongestionControl, noControl } from './congestion-control.ts'
import { DelayWindow } from './delay-window.ts'
import { KcpError } from './kcp-error.ts'
import { LossWindow } from './loss-window.ts'
import { defaults, type KcpOptions } from './options.ts'
import { Packer } from './packer.ts'
import { ReceiveWindow } from './receive-window.ts'
import { RoundTrip } from './round-trip.ts'
import { type Command, command, headerBytes, readSegments, type Segment } from './segment.ts'
import { SendQueue } from './send-queue.ts'
import { SendWindow } from './send-window.ts'
import { ahead, wireTime } from './sequence.ts'
import { WindowProbe } from './window-probe.ts'

const nothing = new Uint8Array(0)

/**
 * One end of a KCP conversation in stream mode: ordered and complete bytes in both directions over datagrams that may
 * be lost, duplicated or reordered. It has no clock or timer: `now` is in milliseconds of any monotonic clock. The
 * caller must flush after `receive`, `write` and `read`, and at the time that `flush` returned.
 *
 * Memory is bounded whatever the peer sends: by the send window and queue, twice the receive window, and as many
 * acknowledgements.
 */
export class Kcp {
  readonly #o: Required<KcpOptions>
  readonly #packer: Packer
  readonly #queue: SendQueue
  readonly #sending = new SendWindow()
  readonly #receiving: ReceiveWindow
  readonly #roundTrip: RoundTrip
  readonly #congestion: CongestionControl
  readonly #probe = new WindowProbe()
  /** Sequence numbers to acknowledge, with the timestamps of their segments. */
  readonly #arrived = new Map<number, number>()
  #remoteWindow: number
  #shouldProbe = false
  #shouldReportWindow = false
  #dead = false

  constructor(options: KcpOptions) {
    const o = { ...defaults, ...options }
    if (o.mtu <= headerBytes) throw new RangeError(`an mtu of ${o.mtu} is too small for data`)
    this.#o = o
    this.#packer = new Packer(o.conv, o.mtu, o.send)
    this.#queue = new SendQueue(o.mtu - headerBytes, o.sendQueue)
    this.#receiving = new ReceiveWindow(o.receiveWindow)
    this.#remoteWindow = defaults.receiveWindow
    this.#congestion = congestionControl(o)
    this.#roundTrip = new RoundTrip({ ...o, minTimeoutMs: o.noDelay ? 30 : 100 })
  }

  /** Whether a segment stayed unacknowledged after the maximum number of transmissions. Nothing is sent any more. */
  get dead(): boolean {
    return this.#dead
  }

  /** Whether everything written has been acknowledged. */
  get settled(): boolean {
    return this.#queue.segments === 0 && this.#sending.span === 0
  }

  /** How many bytes `write` would accept. */
  get writableBytes(): number {
    return this.#queue.writableBytes
  }

  /** The smoothed round-trip time; undefined before the first acknowledgement. */
  get roundTripMs(): number | undefined {
    return this.#roundTrip.smoothedMs
  }

  /** Segments kept for reading and acknowledgements not sent yet. */
  get held(): number {
    return this.#receiving.held + this.#arrived.size
  }

  /** Queues as many bytes as fit and returns how many. */
  write(bytes: Uint8Array): number {
    return this.#queue.write(bytes)
  }

  /** The next received bytes, or undefined if there are none. Unread bytes close the receive window. */
  read(): Uint8Array | undefined {
    const wasFull = this.#receiving.free === 0
    const data = this.#receiving.read()
    if (wasFull && this.#receiving.free > 0) this.#shouldReportWindow = true
    return data
  }

  /** Makes the peer respond, to check that it is alive. */
  probe(): void {
    this.#shouldProbe = true
  }

  /**
   * Processes a datagram, or throws a KcpError and changes nothing. Returns whether it made progress: brought new data,
   * acknowledged something, or opened or closed the window.
   */
  receive(datagram: Uint8Array, now: number): boolean {
    const segments = readSegments(datagram, { conv: this.#o.conv, maxData: this.#o.maxSegmentBytes })
    for (const { unacknowledged } of segments)
      if (ahead(unacknowledged, this.#sending.next) > 0)
        throw new KcpError(`segments before ${unacknowledged} acknowledged; ${this.#sending.next} were sent`)

    const windowBefore = this.#remoteWindow
    let acknowledged = 0
    let brought = 0
    let latest: Segment | undefined
    for (const segment of segments) {
      this.#remoteWindow = segment.window
      if (segment.command === command.push) brought += this.#take(segment)
      else if (segment.command === command.windowProbe) this.#shouldReportWindow = true
      else if (segment.command === command.acknowledge && this.#sending.acknowledged(segment.sequence)) {
        acknowledged++
        this.#measure(segment, now)
        if (!latest || ahead(segment.sequence, latest.sequence) > 0) latest = segment
      }
    }
    // After the individual acknowledgements, because those also carry timestamps.
    for (const { unacknowledged } of segments)
      acknowledged += this.#sending.acknowledgedBefore(unacknowledged)
    if (latest) this.#sending.overtake(latest.sequence, latest.timestamp)
    this.#congestion.acknowledged(acknowledged, Math.min(this.#o.sendWindow, this.#remoteWindow))
    return brought + acknowledged > 0 || this.#remoteWindow !== windowBefore
  }

  /**
   * Sends everything that is due and returns when to flush again at the latest; Infinity if there is nothing to wait
   * for.
   */
  flush(now: number): number {
    if (this.#dead) return Number.POSITIVE_INFINITY
    for (const [sequence, timestamp] of this.#arrived)
      this.#add(command.acknowledge, { timestamp, sequence, data: nothing })
    this.#arrived.clear()
    if (this.#probe.due(this.#remoteWindow === 0, now)) this.#shouldProbe = true
    if (this.#shouldProbe)
      this.#add(command.windowProbe, { timestamp: wireTime(now), sequence: 0, data: nothing })
    if (this.#shouldReportWindow)
      this.#add(command.windowSize, { timestamp: wireTime(now), sequence: 0, data: nothing })
    this.#shouldProbe = false
    this.#shouldReportWindow = false
    const nextAt = this.#transmit(now)
    this.#packer.flush()
    return Math.min(nextAt, this.#probe.probeAt)
  }

  #transmit(now: number): number {
    const allowed = Math.min(this.#o.sendWindow, this.#remoteWindow, this.#congestion.segments)
    while (this.#sending.span < allowed) {
      const data = this.#queue.shift()
      if (!data) break
      this.#sending.add(data)
    }
    const { timeoutMs, lostMs } = this.#roundTrip
    const sent = this.#sending.transmit(now, { ...this.#o, timeoutMs, lostMs }, ({ sequence, data }) =>
      this.#add(command.push, { timestamp: wireTime(now), sequence, data }),
    )
    const full = this.#queue.segments > 0
    this.#congestion.flushed({ ...sent, inFlight: this.#sending.span, full })
    if (sent.transmissions >= this.#o.deadAfter) this.#dead = true
    return sent.nextAt
  }

  /**
   * Duplicates are acknowledged too, because the first acknowledgement may have been lost. Returns the number of new
   * segments.
   */
  #take({ sequence, timestamp, data }: Segment): number {
    const taken = this.#receiving.accept(sequence, data)
    if (taken !== 'beyond' && this.#arrived.size < 2 * this.#o.receiveWindow)
      this.#arrived.set(sequence, timestamp)
    return taken === 'new' ? 1 : 0
  }

  #measure({ timestamp }: Segment, now: number): void {
    const ms = ahead(wireTime(now), timestamp)
    if (ms < 0) return
    this.#roundTrip.sample(ms)
    this.#congestion.measured(ms, now)
  }

  #add(kind: Command, segment: Pick<Segment, 'timestamp' | 'sequence' | 'data'>): void {
    const window = Math.min(0xffff, this.#receiving.free)
    this.#packer.add({ command: kind, window, unacknowledged: this.#receiving.next, ...segment })
  }
}

function congestionControl(o: Required<KcpOptions>): CongestionControl {
  if (o.congestionControl === 'delay') return new DelayWindow()
  return o.congestionControl === 'loss' ? new LossWindow(o.fastResend) : noControl
}
