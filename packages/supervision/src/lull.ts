import { Pause } from './pause.ts'

/** Keeps work that can wait out of the way of work that somebody waits for. */
export class Lull {
  #underWay = 0
  readonly #waiting = new Set<Pause>()

  /** Runs work that somebody waits for. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    this.#underWay++
    try {
      return await work()
    } finally {
      if (--this.#underWay === 0) for (const pause of this.#waiting) pause.end()
    }
  }

  /** Settles when no such work is under way, and after this time all the same, because there may always be some. */
  async wait(maxMs: number): Promise<void> {
    if (this.#underWay === 0) return
    const pause = new Pause(maxMs)
    this.#waiting.add(pause)
    await pause.over
    this.#waiting.delete(pause)
  }
}
