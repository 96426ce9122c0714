/** A capture is due once the video has shown no change for this long. */
const quietMs = 200
/** While the video keeps changing, a capture is due after this long, which makes the static parts exact. */
const busyMs = 2000
/** An exact screen is captured again after this long, to detect a video that has stopped. */
const recheckMs = 5000
/**
 * How many consecutive captures may find a change that the video has not shown. One is normal, because the video may
 * be late.
 */
const maxMissed = 1

/**
 * Decides when a screen that is followed by lossy video has to be captured, so that the published picture becomes
 * exact.
 */
export class CaptureSchedule {
  readonly #clock: () => number
  #isExact = false
  #missed = 0
  #changedMs: number
  #capturedMs: number

  constructor(clock = () => performance.now()) {
    this.#clock = clock
    this.#changedMs = clock()
    this.#capturedMs = clock()
  }

  /**
   * Records a change in the video. Returns true if the screen was exact until then, in which case the next capture is
   * due earlier.
   */
  videoChanged(): boolean {
    const wasExact = this.#isExact
    this.#isExact = false
    this.#missed = 0
    this.#changedMs = this.#clock()
    return wasExact
  }

  /** Returns the time until the next capture is due. */
  leftMs(): number {
    const nowMs = this.#clock()
    const atMs = this.#isExact
      ? this.#capturedMs + recheckMs
      : Math.min(this.#changedMs + quietMs, this.#capturedMs + busyMs)
    return Math.max(0, atMs - nowMs)
  }

  /** Records that a capture has started. */
  captureStarted(): void {
    this.#capturedMs = this.#clock()
  }

  /** Records a capture. Returns false if it proves that the video no longer shows changes. */
  captured(hasChanged: boolean): boolean {
    if (this.#isExact && hasChanged) this.#missed++
    this.#isExact = true
    return this.#missed <= maxMissed
  }
}
