import { availableParallelism } from 'node:os'
import { Pause } from '@sandglass/supervision'

/**
 * More desktops that start at once would only take the processors from each other, and none of a crowd would be ready before
 * nearly all are.
 */
const startsPerProcessor = 2
/** A start that takes longer waits for something else than a processor, and no longer counts. */
export const maxTurnMs = 2000

/** Lets a crowd of machines start a few at a time. */
export class StartTurns {
  readonly #waiting: (() => void)[] = []
  #free: number

  constructor(atOnce = startsPerProcessor * availableParallelism()) {
    this.#free = atOnce
  }

  /** Runs `start` when it has its turn. */
  async during<T>(start: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--
    else await new Promise<void>(resolve => this.#waiting.push(resolve))
    const turn = new Pause(maxTurnMs)
    void turn.over.then(() => this.#next())
    try {
      return await start()
    } finally {
      turn.end()
    }
  }

  #next(): void {
    const next = this.#waiting.shift()
    if (next) next()
    else this.#free++
  }
}
