/** The min bytes in flight to any viewer, whose link may be slow. A single frame may be larger. */
const minBytes = 48 * 1024
const maxBytes = 8 * 1024 * 1024

/** Enough in flight for one frame per screen refresh, with a reserve for viewers that draw in bursts. */
const minFrames = 6
const maxFrames = 120
const periodMs = 1000 / 60

/** The shortest round trip is forgotten after this long, since routes change. */
const memoryMs = 10_000

interface Sent {
  readonly sequence: number
  readonly bytes: number
  readonly atMs: number
  /** How many bytes had been acknowledged when this frame was sent, and when that was known. */
  readonly arrived: number
  readonly arrivedAtMs: number
}

/**
 * The data in flight to one viewer. Its limit is what the link can hold, learnt from acknowledgements as the shortest
 * round trip times the delivery rate, as in BBR. A long link therefore loses no frames, and a slow one gains no
 * delay.
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

  /** Whether another frame may be sent. */
  get isOpen(): boolean {
    if (this.#inFlight.length === 0) return true
    const roundTripMs = this.#roundTripMs ?? 0
    const frames = minFrames + Math.ceil((1.5 * roundTripMs) / periodMs)
    const bytes = minBytes + 2 * this.#bytesPerMs * roundTripMs
    return this.#inFlight.length < Math.min(frames, maxFrames) && this.#bytes < Math.min(bytes, maxBytes)
  }

  /** Whether everything was acknowledged. */
  get isIdle(): boolean {
    return this.#inFlight.length === 0
  }

  nextSequence(): number {
    return (this.#last + 1) >>> 0
  }

  sent(bytes: number, atMs = performance.now()): void {
    this.#last = this.nextSequence()
    // An idle link says nothing about its capacity.
    if (this.#inFlight.length === 0) this.#arrivedAtMs = atMs
    const [arrived, arrivedAtMs] = [this.#arrived, this.#arrivedAtMs]
    this.#inFlight.push({ sequence: this.#last, bytes, atMs, arrived, arrivedAtMs })
    this.#bytes += bytes
  }

  /** Acknowledges this frame and all before it. A number that is not in flight is ignored. */
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
