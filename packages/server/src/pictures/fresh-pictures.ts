import type { PictureName } from './picture-name.ts'

export interface FreshPicture {
  readonly name: PictureName
  readonly body: Buffer
}

/** Space for some hundred pictures of a drawn screen. */
const defaultMaxBytes = 16 * 1024 * 1024

/**
 * Caches the pictures that were encoded last, by their ids. Callers mostly fetch a picture right after taking it, and
 * then need not wait until it was written to the store and read back.
 */
export class FreshPictures {
  readonly #pictures = new Map<string, FreshPicture>()
  readonly #maxBytes: number
  #bytes = 0

  constructor(maxBytes = defaultMaxBytes) {
    this.#maxBytes = maxBytes
  }

  get(id: string): FreshPicture | undefined {
    return this.#pictures.get(id)
  }

  add(id: string, picture: FreshPicture): void {
    this.#pictures.set(id, picture)
    this.#bytes += picture.body.length
    for (const oldest of this.#pictures.keys()) {
      if (this.#bytes <= this.#maxBytes) return
      this.delete(oldest)
    }
  }

  delete(id: string): void {
    this.#bytes -= this.#pictures.get(id)?.body.length ?? 0
    this.#pictures.delete(id)
  }
}
