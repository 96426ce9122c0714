import { seeded } from '../../testing/random.ts'
import { Kcp } from '../kcp.ts'
import type { KcpOptions } from '../options.ts'

export interface Weather {
  readonly seed: number
  readonly delayMs: number
  /** Up to so much more, for each datagram anew, which is what puts them out of order. */
  readonly jitterMs: number
  readonly loss: number
  readonly duplication: number
  /** How much goes through in a millisecond, and how much waits for that at the most; all of it at once where this is left out. */
  readonly bottleneck?: { readonly bytesPerMs: number; readonly queueBytes: number }
}

export const calm: Weather = { seed: 1, delayMs: 40, jitterMs: 0, loss: 0, duplication: 0 }

/** One end and what its application does: it has bytes to write, and reads as long as it is awake. */
export class End {
  readonly kcp: Kcp
  readonly #chunks: Uint8Array[] = []
  unwritten: Uint8Array = new Uint8Array(0)
  awake = true
  flushAt = 0
  /** When all that waits for the bottleneck before this end is through. */
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
    } while (this.unwritten.length > 0 && this.kcp.roomBytes > 0 && !this.kcp.dead)
  }
}

/** Two ends in a time of their own: nothing waits, and the same weather gives the same run. */
export class Network {
  readonly ends: readonly [End, End]
  now = 1000
  sent = 0
  /** While true, everything is lost. */
  cut = false
  #inAir: { at: number; to: End; datagram: Uint8Array }[] = []
  readonly #weather: Weather
  readonly #random: () => number

  constructor(weather: Weather, options: Partial<KcpOptions> = {}) {
    this.#weather = weather
    this.#random = seeded(weather.seed)
    const end = (other: () => End) =>
      new End({ conv: 7, ...options, send: datagram => this.#carry(datagram, other()) })
    const first: End = end(() => second)
    const second: End = end(() => first)
    this.ends = [first, second]
  }

  /** Lets time pass until the condition holds; false when it does not within so much time of the network. */
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
    const { delayMs, jitterMs, loss, duplication } = this.#weather
    this.sent++
    for (const copy of this.#random() < duplication ? [1, 2] : [1]) {
      const lost = this.#random() < loss || this.cut
      const throughAt = this.#throughAt(datagram, to)
      if (lost || throughAt === undefined) continue
      this.#inAir.push({ at: throughAt + delayMs + copy * this.#random() * jitterMs, to, datagram })
    }
  }

  /** Undefined when the queue is full. */
  #throughAt({ length }: Uint8Array, to: End): number | undefined {
    const { bottleneck } = this.#weather
    if (!bottleneck) return this.now
    const startsAt = Math.max(this.now, to.clearAt)
    if ((startsAt - this.now) * bottleneck.bytesPerMs + length > bottleneck.queueBytes) return
    to.clearAt = startsAt + length / bottleneck.bytesPerMs
    return to.clearAt
  }
}
