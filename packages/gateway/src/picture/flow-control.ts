/** What may be under way to anybody, whose link may be slow. One frame may be larger. */
const minBytes = 48 * 1024
const maxBytes = 8 * 1024 * 1024

/** What a frame a screen's period keeps under way, and some more for a viewer that draws in bursts. */
const minFrames = 6
const maxFrames = 120
const periodMs = 1000 / 60

/** A shortest round trip is forgotten after so long, since routes change. */
const memoryMs = 10_000

interface Sent {
  readonly sequence: number
  readonly bytes: number
  readonly atMs: number
  /** How much had arrived then, and when that was known. */
  readonly arrived: number
  readonly arrivedAtMs: number
}

/**
 * What is on its way to one viewer. It may be as much as its link holds, which is learnt from its acknowledgements (the
 * shortest round trip, times what arrives in a time, as BBR has it), so that a long way costs no frames and a narrow one no delay.
 */
export class FlowControl {
  readonly #inFlight: Sent[] = []
  #bytes = 0
  #last = 0
  #arrived = 0
  #arrivedAtMs = 0
  #roundTripMs: number | undefined
  #roundTripSinceMs = 0
  #bytesPerMs = 0

  /** Whether one more frame may go. */
  get isOpen(): boolean {
    if (this.#inFlight.length === 0) return true
    const roundTripMs = this.#roundTripMs ?? 0
    const frames = minFrames + Math.ceil((1.5 * roundTripMs) / periodMs)
    const bytes = minBytes + 2 * this.#bytesPerMs * roundTripMs
    return this.#inFlight.length < Math.min(frames, maxFrames) && this.#bytes < Math.min(bytes, maxBytes)
  }

  /** Whether everything has arrived. */
  get isIdle(): boolean {
    return this.#inFlight.length === 0
  }

  nextSequence(): number {
    return (this.#last + 1) >>> 0
  }

  sent(bytes: number, atMs = performance.now()): void {
    this.#last = this.nextSequence()
    // A link that had nothing to carry says nothing about what it can.
    if (this.#inFlight.length === 0) this.#arrivedAtMs = atMs
    const [arrived, arrivedAtMs] = [this.#arrived, this.#arrivedAtMs]
    this.#inFlight.push({ sequence: this.#last, bytes, atMs, arrived, arrivedAtMs })
    this.#bytes += bytes
  }

  /** Stands for all before it. One that is not under way says nothing. */
  acknowledged(sequence: number, atMs = performance.now()): void {
    const at = this.#inFlight.findIndex(sent => sent.sequence === sequence)
    const newest = this.#inFlight[at]
    if (!newest) return
    for (const { bytes } of this.#inFlight.splice(0, at + 1)) {
      this.#bytes -= bytes
      this.#arrived += bytes
    }
    this.#arrivedAtMs = atMs
    this.#learn(newest, atMs)
  }

  #learn({ atMs: sentAtMs, arrived, arrivedAtMs }: Sent, nowMs: number): void {
    const roundTripMs = nowMs - sentAtMs
    if (roundTripMs <= (this.#roundTripMs ?? roundTripMs) || nowMs - this.#roundTripSinceMs > memoryMs) {
      this.#roundTripMs = roundTripMs
      this.#roundTripSinceMs = nowMs
    }
    const rate = (this.#arrived - arrived) / Math.max(1, nowMs - arrivedAtMs)
    this.#bytesPerMs = Math.max(rate, 0.98 * this.#bytesPerMs)
  }
}
