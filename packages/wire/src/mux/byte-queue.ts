/** The size of the blocks that small pieces are collected in. */
const blockBytes = 4096

/**
 * Received bytes that nobody has read. They are copied: a view would keep the whole chunk in memory, and a list of many
 * small pieces would take far more memory than their bytes.
 */
export class ByteQueue {
  readonly #blocks: Uint8Array[] = []
  /** How many bytes of the last block are used. */
  #used = 0
  #length = 0

  get length(): number {
    return this.#length
  }

  push(bytes: Uint8Array): void {
    this.#length += bytes.length
    const last = this.#blocks.at(-1)
    const fit = last ? Math.min(last.length - this.#used, bytes.length) : 0
    last?.set(bytes.subarray(0, fit), this.#used)
    this.#used += fit
    const rest = bytes.subarray(fit)
    if (rest.length === 0) return
    // A single piece, such as a keystroke, needs no space for others.
    const block = new Uint8Array(last ? Math.max(rest.length, blockBytes) : rest.length)
    block.set(rest)
    this.#blocks.push(block)
    this.#used = rest.length
  }

  /** Removes and returns some of the bytes, in order. */
  take(): Uint8Array | undefined {
    const block = this.#blocks.shift()
    const taken = block && this.#blocks.length === 0 ? block.subarray(0, this.#used) : block
    this.#length -= taken?.length ?? 0
    return taken
  }

  clear(): void {
    this.#blocks.length = 0
    this.#length = 0
  }
}
