import { randomUUID } from 'node:crypto'
import type { Frame, ScreenSize } from '@sandglass/machines/contract'
import type { Capture, CaptureChoice, EncodedPicture } from '../contract/index.ts'
import type { Encoders } from '../encoding/encoders.ts'

/** A frame in the memory of this process that waits to be encoded. */
export class FrameCapture implements Capture {
  readonly size: ScreenSize
  readonly frameBytes: number
  readonly #encoders: Encoders
  readonly #choice: CaptureChoice
  readonly #tenant: string
  readonly #id = randomUUID()
  #frame: Frame | undefined

  constructor(encoders: Encoders, frame: Frame, choice: CaptureChoice, tenant: string) {
    this.#encoders = encoders
    this.#choice = choice
    this.#tenant = tenant
    this.#frame = forEncoder(frame, choice.pointer)
    this.size = { width: frame.width, height: frame.height }
    this.frameBytes = frame.pixels.byteLength
  }

  async encode(): Promise<EncodedPicture> {
    const frame = this.#frame
    if (!frame) throw new Error('a capture is encoded once')
    this.#frame = undefined
    const { format, longestSide } = this.#choice
    const { pixels, body, hash, seconds } = await this.#encoders.develop(
      this.#id,
      frame,
      { format, longestSide },
      this.#tenant,
    )
    this.#encoders.spareMemory.give(pixels)
    return { body, hash, seconds }
  }

  prioritize(): void {
    this.#encoders.prioritize(this.#id)
  }
}

/**
 * Copies what an encoder needs of a frame. The pointer's image is included only if it is to be drawn, and is copied so
 * that the rest of its buffer is not sent.
 */
function forEncoder({ width, height, pixels, pointer: { x, y, image } }: Frame, draw: boolean): Frame {
  const drawn = draw && image ? { ...image, rgba: image.rgba.slice() } : undefined
  return { width, height, pixels, pointer: { x, y, image: drawn } }
}
