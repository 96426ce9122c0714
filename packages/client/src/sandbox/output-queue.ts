/** A piece of a shell's output. */
export interface ShellPart {
  readonly stdout?: Uint8Array<ArrayBuffer>
  readonly stderr?: Uint8Array<ArrayBuffer>
  /** How many bytes of the output were lost before this, because nobody read them in time. */
  readonly dropped?: number
}

/** How much output waits for a reader. */
const limitBytes = 1024 * 1024

/**
 * The output that was received and not read yet. Whoever adds to it waits for the reader, so that the command waits as well. If
 * nobody reads and only the end is awaited, the oldest output is dropped instead.
 */
export class OutputQueue {
  /** Whether somebody reads. */
  hasReader = false
  /** Whether output that nobody reads is dropped. */
  isDropping = false
  #parts: ShellPart[] = []
  #bytes = 0
  #dropped = 0
  #isEnded = false
  #failure: { readonly reason: unknown } | undefined
  #wakers: (() => void)[] = []

  /** Resolves when there is space for more. */
  async add(part: ShellPart): Promise<void> {
    if (part.dropped) this.#dropped += part.dropped
    else {
      this.#parts.push(part)
      this.#bytes += sizeOf(part)
    }
    this.#wake()
    while (this.#bytes > limitBytes && !this.#isEnded) {
      if (this.isDropping && !this.hasReader) this.#dropOldest()
      else await this.#changed()
    }
  }

  /** Resolves with undefined at the end. */
  async take(): Promise<ShellPart | undefined> {
    for (;;) {
      if (this.#dropped > 0) {
        const dropped = this.#dropped
        this.#dropped = 0
        return { dropped }
      }
      const part = this.#parts.shift()
      if (part) {
        this.#bytes -= sizeOf(part)
        this.#wake()
        return part
      }
      if (this.#failure) throw this.#failure.reason
      if (this.#isEnded) return undefined
      await this.#changed()
    }
  }

  /** There will be no more. */
  end(): void {
    this.#isEnded = true
    this.#wake()
  }

  fail(reason: unknown): void {
    this.#failure ??= { reason }
    this.end()
  }

  /** Call it after `hasReader` or `isDropping` has changed. */
  reconsider(): void {
    this.#wake()
  }

  #dropOldest(): void {
    const part = this.#parts.shift()
    if (!part) return
    this.#bytes -= sizeOf(part)
    this.#dropped += sizeOf(part)
  }

  #changed(): Promise<void> {
    return new Promise(resolve => this.#wakers.push(resolve))
  }

  #wake(): void {
    for (const wake of this.#wakers.splice(0)) wake()
  }
}

function sizeOf({ stdout, stderr }: ShellPart): number {
  return (stdout?.length ?? 0) + (stderr?.length ?? 0)
}
