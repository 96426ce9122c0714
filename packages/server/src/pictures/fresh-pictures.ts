import type { PictureName } from './picture-name.ts'

export interface FreshPicture {
  readonly name: PictureName
  readonly body: Buffer
}

/** Some hundred pictures of a drawn screen. */
const usualBytes = 16 * 1024 * 1024

/**
 * The pictures that were encoded last, by their ids. Whoever takes a picture mostly fetches it at once, and so does not
 * wait until it was written and read.
 */
export class FreshPictures {
  readonly #pictures = new Map<string, FreshPicture>()
  readonly #maxBytes: number
  #bytes = 0

  constructor(maxBytes = usualBytes) {
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
