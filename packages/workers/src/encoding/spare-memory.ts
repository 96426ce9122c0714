/** The number of buffers that fast actions need. Memory beyond that is released. */
const maxBuffers = 32
const idleMs = 10_000

/**
 * Keeps the memory of encoded frames for the next ones. Allocating several megabytes for each picture would make the
 * garbage collector pause the service for 10 ms and more, again and again.
 */
export class SpareMemory {
  #spare: Uint8Array<ArrayBuffer>[] = []
  #idle: NodeJS.Timeout | undefined

  take(): Uint8Array<ArrayBuffer> | undefined {
    return this.#spare.pop()
  }

  give(memory: Uint8Array<ArrayBuffer>): void {
    if (this.#spare.length < maxBuffers) this.#spare.push(memory)
    clearTimeout(this.#idle)
    this.#idle = setTimeout(() => {
      this.#spare = []
    }, idleMs).unref()
  }
}
