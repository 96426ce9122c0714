import { deflateRawSync } from 'node:zlib'
import type { Frame } from '@sandglass/machines/contract'
import { encodeCursor } from '@sandglass/wire/frames'

/** What the pointer of the screen looks like and where it is, as frames. */
export class Pointer {
  #image: Frame['pointer']['image']
  #x = -1
  #y = -1
  #shape = encodeCursor({ type: 'hidden' }, deflateRawSync)
  #position: Uint8Array | undefined

  /** The frames that a viewer needs who knows nothing yet. */
  whole(): Uint8Array[] {
    return this.#position ? [this.#shape, this.#position] : [this.#shape]
  }

  /** The frames that tell what is new. */
  take({ x, y, image }: Frame['pointer']): Uint8Array[] {
    const news: Uint8Array[] = []
    if (image !== this.#image) {
      this.#image = image
      this.#shape = shapeOf(image)
      news.push(this.#shape)
    }
    if (x !== this.#x || y !== this.#y) {
      ;[this.#x, this.#y] = [x, y]
      this.#position = encodeCursor({ type: 'position', x, y }, deflateRawSync)
      news.push(this.#position)
    }
    return news
  }
}

function shapeOf(image: Frame['pointer']['image']): Uint8Array {
  if (!image) return encodeCursor({ type: 'hidden' }, deflateRawSync)
  const { width, height, hotspot, rgba } = image
  return encodeCursor(
    { type: 'shape', width, height, hotX: hotspot.x, hotY: hotspot.y, rgba },
    deflateRawSync,
  )
}
