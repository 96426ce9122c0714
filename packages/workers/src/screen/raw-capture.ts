import type { Frame, ScreenSize } from '@sandglass/machines/contract'
import type { Capture, EncodedPicture, RawPicture } from '../contract/index.ts'

/** A frame that waits in a file. Whoever keeps it has it developed from there. */
export class RawCapture implements Capture {
  readonly size: ScreenSize
  readonly frameBytes = 0
  readonly raw: RawPicture

  constructor({ width, height }: Pick<Frame, 'width' | 'height'>, raw: RawPicture) {
    this.size = { width, height }
    this.raw = raw
  }

  encode(): Promise<EncodedPicture> {
    return Promise.reject(new Error('a raw picture is developed from its file'))
  }

  prioritize(): void {}
}
