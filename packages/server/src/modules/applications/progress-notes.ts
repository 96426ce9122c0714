import type { Progress } from './installation.ts'

/** How often progress within a step is written down. */
const everyMs = 500

/** Writes down the newest progress, one write at a time, and a new step at once. */
export class ProgressNotes {
  readonly #write: (detail: Progress) => Promise<void>
  #writing: Promise<void> | undefined
  #next: Progress | undefined
  #step = ''
  #notedAt = 0

  constructor(write: (detail: Progress) => Promise<void>) {
    this.#write = write
  }

  note(detail: Progress): void {
    const now = performance.now()
    if (detail.step === this.#step && now - this.#notedAt < everyMs) return
    this.#step = detail.step
    this.#notedAt = now
    this.#next = detail
    this.#writing ??= this.#writeAll()
  }

  /** No further write comes after this. */
  async settled(): Promise<void> {
    await this.#writing
  }

  async #writeAll(): Promise<void> {
    try {
      for (let detail = this.#next; detail; detail = this.#next) {
        this.#next = undefined
        await this.#write(detail)
      }
    } catch {
      // Progress that could not be written down is no reason to stop.
    } finally {
      this.#writing = undefined
    }
  }
}
