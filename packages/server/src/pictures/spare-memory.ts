/** As many as are under way when somebody acts fast; beyond that, memory is given back. */
const most = 32
const idleMs = 10_000

/**
 * The memory of frames that were encoded, for the next ones. New memory of several megabytes for each picture makes the
 * garbage collector stop the service for 10 ms and more, again and again.
 */
export class SpareMemory {
  #spare: Uint8Array<ArrayBuffer>[] = []
  #idle: NodeJS.Timeout | undefined

  take(): Uint8Array<ArrayBuffer> | undefined {
    return this.#spare.pop()
  }

  give(memory: Uint8Array<ArrayBuffer>): void {
    if (this.#spare.length < most) this.#spare.push(memory)
    clearTimeout(this.#idle)
    this.#idle = setTimeout(() => {
      this.#spare = []
    }, idleMs).unref()
  }
}
