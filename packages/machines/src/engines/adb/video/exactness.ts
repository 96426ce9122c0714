/** A screen is captured when its video has shown no change for so long, */
const quietMs = 200
/** or has shown changes for so long: what does not move is made exact then. */
const restlessMs = 2000
/** A screen that is exact is looked at again after this, lest the video stands still unnoticed. */
const recheckMs = 5000
/** How many times in a row that may find what the video has not shown: once may be what it is just about to. */
const maxMissed = 1

/** When a screen that is followed by lossy video has to be captured, so that what is shown of it is exact. */
export class Exactness {
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

  /** The video has shown a change; true where the screen was exact until then, so that a capture is due earlier. */
  lose(): boolean {
    const wasExact = this.#isExact
    this.#isExact = false
    this.#missed = 0
    this.#changedMs = this.#clock()
    return wasExact
  }

  /** How long until a capture is due, by what is known now. */
  leftMs(): number {
    const nowMs = this.#clock()
    const atMs = this.#isExact
      ? this.#capturedMs + recheckMs
      : Math.min(this.#changedMs + quietMs, this.#capturedMs + restlessMs)
    return Math.max(0, atMs - nowMs)
  }

  /** A capture is being made. */
  begin(): void {
    this.#capturedMs = this.#clock()
  }

  /** A capture has been shown; false where it shows that the video tells no changes. */
  gain(hasChanged: boolean): boolean {
    if (this.#isExact && hasChanged) this.#missed++
    this.#isExact = true
    return this.#missed <= maxMissed
  }
}
