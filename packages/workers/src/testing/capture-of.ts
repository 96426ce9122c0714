import type { Frame } from '@sandglass/machines/contract'
import type { CaptureChoice } from '../contract/index.ts'
import { Encoders } from '../encoding/encoders.ts'
import { FrameCapture } from '../screen/frame-capture.ts'

let encoders: Encoders | undefined

/** A capture of a frame, for tests that have no screen. The frame's memory is transferred. */
export function captureOf(frame: Frame, choice: Partial<CaptureChoice> = {}): FrameCapture {
  encoders ??= new Encoders(() => {})
  return new FrameCapture(encoders, frame, { format: 'webp', pointer: true, ...choice }, '')
}
