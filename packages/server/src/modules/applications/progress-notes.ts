import type { Progress } from './installation.ts'

/** The minimum interval between writes of progress within a step. */
const everyMs = 500

/** Records the latest progress with one write at a time. A new step is written immediately. */
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

  /** Resolves when no write is running any more. */
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
      // Continue, because the installation does not depend on its recorded progress.
    } finally {
      this.#writing = undefined
    }
  }
}
