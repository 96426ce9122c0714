/** A chunk below this size costs the event loop more time than its bytes do. */
export const smallBytes = 4096
/** About 5% of the event loop. Programs that stream text or frames stay far below it. */
const smallChunksPerMs = 20
const burst = 2000
/** Shorter pauses would cost more than the chunks that they delay. */
const minPauseMs = 5

/**
 * Limits how many small chunks of responses the programs of one machine may send. Each chunk is a separate step of the
 * HTTP parser, so a program that answers in chunks of one byte could otherwise occupy the event loop with a few
 * megabytes per second, and delay every other tenant.
 */
export class ChunkPace {
  #left = burst
  #countedAt: number

  constructor(now = performance.now()) {
    this.#countedAt = now
  }

  /** Counts a chunk. Returns how long to pause before the next one, which is usually 0. */
  pauseAfter(bytes: number, now = performance.now()): number {
    if (bytes >= smallBytes) return 0
    this.#left = Math.min(burst, this.#left + (now - this.#countedAt) * smallChunksPerMs) - 1
    this.#countedAt = now
    return this.#left >= 0 ? 0 : Math.max(minPauseMs, -this.#left / smallChunksPerMs)
  }
}
