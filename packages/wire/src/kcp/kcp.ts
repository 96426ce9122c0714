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
 * One end of a KCP conversation in stream mode: bytes both ways, in order and whole, over datagrams that may be lost, repeated
 * or out of order. It has no clock and no timer: `now` is in milliseconds of any clock that does not go back. After `receive`, `write` and
 * `read`, and when the time that `flush` named has come, the caller flushes.
 *
 * Memory is bounded whatever the peer sends: by the send window and queue, twice the receive window, and as many acknowledgements.
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
  /** The segments to acknowledge, with the times that they bore. */
  readonly #arrived = new Map<number, number>()
  #remoteWindow: number
  #ask = false
  #tell = false
  #dead = false

  constructor(options: KcpOptions) {
    const o = { ...defaults, ...options }
    if (o.mtu <= headerBytes) throw new RangeError(`an mtu of ${o.mtu} has no room for data`)
    this.#o = o
    this.#packer = new Packer(o.conv, o.mtu, o.send)
    this.#queue = new SendQueue(o.mtu - headerBytes, o.sendQueue)
    this.#receiving = new ReceiveWindow(o.receiveWindow)
    this.#remoteWindow = defaults.receiveWindow
    this.#congestion = congestionControl(o)
    this.#roundTrip = new RoundTrip({ ...o, minTimeoutMs: o.noDelay ? 30 : 100 })
  }

  /** Whether the peer left one segment unacknowledged however often it was sent. Nothing is sent any more. */
  get dead(): boolean {
    return this.#dead
  }

  /** Whether everything that was written has come to the peer. */
  get settled(): boolean {
    return this.#queue.segments === 0 && this.#sending.span === 0
  }

  /** How many bytes `write` would take. */
  get roomBytes(): number {
    return this.#queue.roomBytes
  }

  /** How long the peer takes to answer; undefined before the first answer. */
  get roundTripMs(): number | undefined {
    return this.#roundTrip.smoothedMs
  }

  /** Segments held for reading and acknowledgements not sent yet. */
  get held(): number {
    return this.#receiving.held + this.#arrived.size
  }

  /** Takes as many bytes as there is room for, and says how many. */
  write(bytes: Uint8Array): number {
    return this.#queue.write(bytes)
  }

  /** The next bytes that came, or undefined while there are none. What is not read closes the window. */
  read(): Uint8Array | undefined {
    const wasFull = this.#receiving.room === 0
    const data = this.#receiving.read()
    if (wasFull && this.#receiving.room > 0) this.#tell = true
    return data
  }

  /** Has the peer say that it is there. */
  ask(): void {
    this.#ask = true
  }

  /**
   * Takes a datagram, or throws a KcpError and leaves all as it was. Says whether it moved anything on: brought data that was not
   * here, acknowledged something, or opened or shut the window.
   */
  receive(datagram: Uint8Array, now: number): boolean {
    const segments = readSegments(datagram, { conv: this.#o.conv, maxData: this.#o.maxSegmentBytes })
    for (const { unacknowledged } of segments)
      if (ahead(unacknowledged, this.#sending.next) > 0)
        throw new KcpError(`segments before ${unacknowledged} acknowledged; ${this.#sending.next} were sent`)

    const windowBefore = this.#remoteWindow
    let landed = 0
    let brought = 0
    let latest: Segment | undefined
    for (const segment of segments) {
      this.#remoteWindow = segment.window
      if (segment.command === command.push) brought += this.#take(segment)
      else if (segment.command === command.ask) this.#tell = true
      else if (segment.command === command.acknowledge && this.#sending.landed(segment.sequence)) {
        landed++
        this.#measure(segment, now)
        if (!latest || ahead(segment.sequence, latest.sequence) > 0) latest = segment
      }
    }
    // After the acknowledgements one by one, which tell of times as well.
    for (const { unacknowledged } of segments) landed += this.#sending.landedBefore(unacknowledged)
    if (latest) this.#sending.overtake(latest.sequence, latest.timestamp)
    this.#congestion.acknowledged(landed, Math.min(this.#o.sendWindow, this.#remoteWindow))
    return brought + landed > 0 || this.#remoteWindow !== windowBefore
  }

  /** Sends all that is due and says when to flush again at the latest; Infinity when there is nothing to wait for. */
  flush(now: number): number {
    if (this.#dead) return Number.POSITIVE_INFINITY
    for (const [sequence, timestamp] of this.#arrived)
      this.#add(command.acknowledge, { timestamp, sequence, data: nothing })
    this.#arrived.clear()
    if (this.#probe.due(this.#remoteWindow === 0, now)) this.#ask = true
    if (this.#ask) this.#add(command.ask, { timestamp: wireTime(now), sequence: 0, data: nothing })
    if (this.#tell) this.#add(command.tell, { timestamp: wireTime(now), sequence: 0, data: nothing })
    this.#ask = false
    this.#tell = false
    const nextAt = this.#transmit(now)
    this.#packer.flush()
    return Math.min(nextAt, this.#probe.askAt)
  }

  #transmit(now: number): number {
    const allowed = Math.min(this.#o.sendWindow, this.#remoteWindow, this.#congestion.segments)
    while (this.#sending.span < allowed) {
      const data = this.#queue.shift()
      if (!data) break
      this.#sending.launch(data)
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

  /** Also a segment that was here is acknowledged: its first acknowledgement may be lost. Gives how many were new. */
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
    const window = Math.min(0xffff, this.#receiving.room)
    this.#packer.add({ command: kind, window, unacknowledged: this.#receiving.next, ...segment })
  }
}

function congestionControl(o: Required<KcpOptions>): CongestionControl {
  if (o.congestionControl === 'delay') return new DelayWindow()
  return o.congestionControl === 'loss' ? new LossWindow(o.fastResend) : noControl
}
