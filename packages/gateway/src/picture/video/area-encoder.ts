import type { Area } from '@sandglass/wire/frames'
import type { Mirror } from '../mirror.ts'
import { copyOf } from '../pixels.ts'
import type { AccessUnit } from './flv.ts'
import { H264Encoder } from './h264-encoder.ts'

export interface AreaEncoderListener {
  onUnit(camera: AreaEncoder, unit: AccessUnit): void
  onFailure(camera: AreaEncoder, error: Error): void
}

/** Films one area of a screen. Never more than one picture waits, and that is the newest. */
export class AreaEncoder {
  readonly area: Area
  readonly #mirror: Mirror
  readonly #encoder: H264Encoder
  /** With a row and a column more where the area is odd, which the encoder cannot be. */
  readonly #memory: Int32Array
  readonly #evenWidth: number
  #isWanted = false

  constructor(program: string, mirror: Mirror, area: Area, listener: AreaEncoderListener) {
    this.area = area
    this.#mirror = mirror
    const size = { width: even(area.width), height: even(area.height) }
    this.#evenWidth = size.width
    this.#memory = new Int32Array(size.width * size.height)
    this.#encoder = new H264Encoder(program, size, {
      onUnit: unit => {
        listener.onUnit(this, unit)
        if (this.#isWanted) this.shoot()
      },
      onFailure: error => listener.onFailure(this, error),
    })
  }

  /** As the mirror is now, or as it will be when the picture before is done. */
  shoot(): void {
    this.#isWanted = this.#encoder.isBusy
    if (this.#isWanted) return
    this.#encoder.encode(copyOf(this.#mirror, this.area, { words: this.#memory, width: this.#evenWidth }))
  }

  close(): void {
    this.#isWanted = false
    this.#encoder.close()
  }
}

function even(length: number): number {
  return length + (length % 2)
}
