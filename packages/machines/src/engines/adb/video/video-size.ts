import { h264ParseConfiguration } from '@yume-chan/scrcpy'
import { MachineError } from '../../../contract/errors.ts'
import type { ScreenSize } from '../../../contract/spec.ts'

/** Parameter sets have a few dozen bytes. */
const maxConfigurationBytes = 4096
/** The max width and height; no phone is larger. */
const maxSide = 8192

/** Returns the size of the pictures that follow an H.264 configuration. */
export function videoSizeOf(configuration: Uint8Array): ScreenSize {
  const { width, height } = parse(configuration)
  if (width >= 1 && height >= 1 && Math.max(width, height) <= maxSide) return { width, height }
  throw new MachineError('MACHINE_FAILED', `its video claims a size of ${width}x${height}`)
}

/**
 * Returns whether a video can show a screen of this size. A server rounds the size to what its encoder accepts,
 * usually multiples of 8, and scales it down if the encoder fails otherwise.
 */
export function isVideoOf(video: ScreenSize, screen: ScreenSize): boolean {
  const stretch = (video.width * screen.height) / (video.height * screen.width)
  return stretch > 0.95 && stretch < 1.05
}

function parse(configuration: Uint8Array): ScreenSize {
  try {
    if (configuration.length > maxConfigurationBytes) throw new Error('it is too long')
    const { croppedWidth: width, croppedHeight: height } = h264ParseConfiguration(configuration)
    return { width, height }
  } catch (cause) {
    throw new MachineError('MACHINE_FAILED', 'its video is not H.264', { cause })
  }
}
