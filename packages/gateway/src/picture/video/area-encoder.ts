import type { Area } from '@sandglass/wire/frames'
import type { Mirror } from '../mirror.ts'
import { copyOf } from '../pixels.ts'
import type { AccessUnit } from './flv.ts'
import { H264Encoder } from './h264-encoder.ts'

export interface AreaEncoderListener {
  onUnit(camera: AreaEncoder, unit: AccessUnit): void
  onFailure(camera: AreaEncoder, error: Error): void
}

/** Encodes one area of a screen as video. At most one frame waits, and it is the newest. */
export class AreaEncoder {
  readonly area: Area
  readonly #mirror: Mirror
  readonly #encoder: H264Encoder
  /** Padded by a row or column if the size is odd, which the encoder does not support. */
  readonly #memory: Int32Array
  readonly #evenWidth: number
  #isPending = false

  constructor(program: string, mirror: Mirror, area: Area, listener: AreaEncoderListener) {
    this.area = area
    this.#mirror = mirror
    const size = { width: even(area.width), height: even(area.height) }
    this.#evenWidth = size.width
    this.#memory = new Int32Array(size.width * size.height)
    this.#encoder = new H264Encoder(program, size, {
      onUnit: unit => {
        listener.onUnit(this, unit)
        if (this.#isPending) this.encodeFrame()
      },
      onFailure: error => listener.onFailure(this, error),
    })
  }

  /** Encodes the current mirror, or its state when the previous frame is done. */
  encodeFrame(): void {
    this.#isPending = this.#encoder.isBusy
    if (this.#isPending) return
    this.#encoder.encode(copyOf(this.#mirror, this.area, { words: this.#memory, width: this.#evenWidth }))
  }

  close(): void {
    this.#isPending = false
    this.#encoder.close()
  }
}

function even(length: number): number {
  return length + (length % 2)
}
