import { deflateRawSync } from 'node:zlib'
import type { Frame } from '@sandglass/machines/contract'
import { encodeCursor } from '@sandglass/wire/frames'

/** Max pointer updates to a viewer that acknowledges nothing. */
const maxUnacknowledged = 64

/** The shape of the screen's pointer as a frame, and its position. */
export class Pointer {
  #image: Frame['pointer']['image']
  #shape = shapeOf(undefined)
  #x = 0
  #y = 0

  take({ x, y, image }: Frame['pointer']): void {
    if (image !== this.#image) {
      this.#image = image
      this.#shape = shapeOf(image)
    }
    this.#x = x
    this.#y = y
  }

  get shape(): Uint8Array {
    return this.#shape
  }

  get x(): number {
    return this.#x
  }

  get y(): number {
    return this.#y
  }
}

/** What one viewer knows about the pointer. */
export class KnownPointer {
  #shape: Uint8Array | undefined
  #place: string | undefined
  #unacknowledged = 0

  /** Returns frames with what the viewer does not know yet. */
  news(pointer: Pointer): Uint8Array[] {
    const news: Uint8Array[] = []
    if (this.#unacknowledged >= maxUnacknowledged) return news
    if (this.#shape !== pointer.shape) news.push(pointer.shape)
    const { shape, x, y } = pointer
    this.#shape = shape
    if (this.#place !== placeOf(x, y)) news.push(encodeCursor({ type: 'position', x, y }, deflateRawSync))
    this.isAt(x, y)
    this.#unacknowledged += news.length
    return news
  }

  /**
   * Pointer frames are not acknowledged, and no picture may follow for a long time, so something that is acknowledged
   * must be sent.
   */
  get needsAnswer(): boolean {
    return this.#unacknowledged >= maxUnacknowledged
  }

  /** The viewer has moved the pointer there itself. */
  isAt(x: number, y: number): void {
    this.#place = placeOf(x, y)
  }

  acknowledged(): void {
    this.#unacknowledged = 0
  }

  forget(): void {
    this.#shape = undefined
    this.#place = undefined
  }
}

function placeOf(x: number, y: number): string {
  return `${x},${y}`
}

function shapeOf(image: Frame['pointer']['image']): Uint8Array {
  if (!image) return encodeCursor({ type: 'hidden' }, deflateRawSync)
  const { width, height, hotspot, rgba } = image
  return encodeCursor(
    { type: 'shape', width, height, hotX: hotspot.x, hotY: hotspot.y, rgba },
    deflateRawSync,
  )
}
