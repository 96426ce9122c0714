/** A picture that was sent before. */
export interface KnownThumbnail {
  readonly tag: string
  readonly body: Buffer
}

/** Space for some thousand pictures of drawn screens. */
const defaultMaxBytes = 16 * 1024 * 1024

/**
 * The last pictures of sandboxes, by width. They are shown when a machine cannot be asked, and need not be sent again by the worker
 * while they are current.
 */
export class LastThumbnails {
  /** The sandbox that was seen last is at the end, and so is the width that was. */
  readonly #bySandbox = new Map<string, Map<number, KnownThumbnail>>()
  readonly #maxBytes: number
  #bytes = 0

  constructor(maxBytes = defaultMaxBytes) {
    this.#maxBytes = maxBytes
  }

  get sandboxIds(): readonly string[] {
    return [...this.#bySandbox.keys()]
  }

  get(sandboxId: string, width: number): KnownThumbnail | undefined {
    return this.#bySandbox.get(sandboxId)?.get(width)
  }

  /** The picture of this width, or the last one of any width. */
  nearest(sandboxId: string, width: number): KnownThumbnail | undefined {
    const known = this.#bySandbox.get(sandboxId)
    return known?.get(width) ?? [...(known?.values() ?? [])].at(-1)
  }

  add(sandboxId: string, width: number, thumbnail: KnownThumbnail): void {
    const known = this.#bySandbox.get(sandboxId) ?? new Map<number, KnownThumbnail>()
    this.#bySandbox.delete(sandboxId)
    this.#bySandbox.set(sandboxId, known)
    this.#bytes += thumbnail.body.length - (known.get(width)?.body.length ?? 0)
    known.delete(width)
    known.set(width, thumbnail)
    for (const oldest of this.#bySandbox.keys()) {
      if (this.#bytes <= this.#maxBytes) return
      this.forget(oldest)
    }
  }

  /** Call this when the sandbox has ended. */
  forget(sandboxId: string): void {
    for (const { body } of this.#bySandbox.get(sandboxId)?.values() ?? []) this.#bytes -= body.length
    this.#bySandbox.delete(sandboxId)
  }
}
