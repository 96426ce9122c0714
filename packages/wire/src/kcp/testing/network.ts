import { seeded } from '../../testing/random.ts'
import { Kcp } from '../kcp.ts'
import type { KcpOptions } from '../options.ts'

/** What a simulated network does to datagrams. */
export interface NetworkConditions {
  readonly seed: number
  readonly delayMs: number
  /** Additional random delay per datagram, which causes reordering. */
  readonly jitterMs: number
  readonly loss: number
  readonly duplication: number
  /** The throughput and the queue of a bottleneck; unlimited if omitted. */
  readonly bottleneck?: { readonly bytesPerMs: number; readonly queueBytes: number }
}

export const lossless: NetworkConditions = { seed: 1, delayMs: 40, jitterMs: 0, loss: 0, duplication: 0 }

/** One end with its application, which has bytes to write and reads while it is awake. */
export class End {
  readonly kcp: Kcp
  readonly #chunks: Uint8Array[] = []
  unwritten: Uint8Array = new Uint8Array(0)
  awake = true
  flushAt = 0
  /** When the bottleneck before this end will be idle. */
  clearAt = 0

  constructor(options: KcpOptions) {
    this.kcp = new Kcp(options)
  }

  get received(): Uint8Array {
    return new Uint8Array(Buffer.concat(this.#chunks))
  }

  act(now: number): void {
    if (this.awake) for (let data = this.kcp.read(); data; data = this.kcp.read()) this.#chunks.push(data)
    do {
      this.unwritten = this.unwritten.subarray(this.kcp.write(this.unwritten))
      this.flushAt = this.kcp.flush(now)
    } while (this.unwritten.length > 0 && this.kcp.writableBytes > 0 && !this.kcp.dead)
  }
}

/** Two ends in simulated time: nothing waits, and the same conditions produce the same run. */
export class Network {
  readonly ends: readonly [End, End]
  now = 1000
  sent = 0
  /** While true, all datagrams are lost. */
  cut = false
  #inAir: { at: number; to: End; datagram: Uint8Array }[] = []
  readonly #conditions: NetworkConditions
  readonly #random: () => number

  constructor(conditions: NetworkConditions, options: Partial<KcpOptions> = {}) {
    this.#conditions = conditions
    this.#random = seeded(conditions.seed)
    const end = (other: () => End) =>
      new End({ conv: 7, ...options, send: datagram => this.#carry(datagram, other()) })
    const first: End = end(() => second)
    const second: End = end(() => first)
    this.ends = [first, second]
  }

  /** Advances time until the condition holds; false if it does not within `limitMs` of simulated time. */
  run(condition: () => boolean, limitMs = 600_000): boolean {
    for (const end of this.ends) end.act(this.now)
    for (const limit = this.now + limitMs; !condition(); ) {
      const next = Math.min(...this.#inAir.map(({ at }) => at), ...this.ends.map(end => end.flushAt))
      if (next > limit) return false
      this.now = Math.max(this.now, next)
      const landing = this.#inAir.filter(({ at }) => at <= this.now)
      this.#inAir = this.#inAir.filter(({ at }) => at > this.now)
      for (const { to, datagram } of landing) to.kcp.receive(datagram, this.now)
      const touched = new Set(landing.map(({ to }) => to))
      for (const end of this.ends) if (touched.has(end) || end.flushAt <= this.now) end.act(this.now)
    }
    return true
  }

  #carry(datagram: Uint8Array, to: End): void {
    const { delayMs, jitterMs, loss, duplication } = this.#conditions
    this.sent++
    for (const copy of this.#random() < duplication ? [1, 2] : [1]) {
      const lost = this.#random() < loss || this.cut
      const passedAt = this.#passedAt(datagram, to)
      if (lost || passedAt === undefined) continue
      this.#inAir.push({ at: passedAt + delayMs + copy * this.#random() * jitterMs, to, datagram })
    }
  }

  /** When the datagram has passed the bottleneck; undefined if its queue is full and the datagram is dropped. */
  #passedAt({ length }: Uint8Array, to: End): number | undefined {
    const { bottleneck } = this.#conditions
    if (!bottleneck) return this.now
    const startsAt = Math.max(this.now, to.clearAt)
    if ((startsAt - this.now) * bottleneck.bytesPerMs + length > bottleneck.queueBytes) return
    to.clearAt = startsAt + length / bottleneck.bytesPerMs
    return to.clearAt
  }
}
