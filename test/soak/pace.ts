import { setTimeout as pause } from 'node:timers/promises'

const firstMs = 300
const [shortestMs, longestMs] = [20, 20_000]

/** The pauses of callers, which become longer if the service uses more of the host than it should. */
export class Pace {
  readonly #cores: number
  readonly #signal: AbortSignal
  readonly #random: () => number
  #ms = firstMs

  /** @param cores what the service and its machines should use together */
  constructor(cores: number, signal: AbortSignal, random: () => number) {
    this.#cores = cores
    this.#signal = signal
    this.#random = random
  }

  /** Adapts the pauses to what was used lately. */
  adapt(usedCores: number): void {
    if (usedCores <= 0) return
    const factor = Math.min(1.5, Math.max(0.7, usedCores / this.#cores))
    this.#ms = Math.min(longestMs, Math.max(shortestMs, this.#ms * factor))
  }

  /** Rejects when the run ends. */
  async rest(): Promise<void> {
    await pause(this.#ms * (0.5 + this.#random()), undefined, { signal: this.#signal })
  }
}
