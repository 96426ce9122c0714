import { h264ParseConfiguration } from '@yume-chan/scrcpy'
import { MachineError } from '../../../contract/errors.ts'
import type { ScreenSize } from '../../../contract/spec.ts'

/** Parameter sets are some dozen bytes. */
const longestConfiguration = 4096
/** No phone is larger. */
const longestSide = 8192

/** How large the pictures are that follow a configuration of H.264. */
export function videoSizeOf(configuration: Uint8Array): ScreenSize {
  const { width, height } = parse(configuration)
  if (width >= 1 && height >= 1 && Math.max(width, height) <= longestSide) return { width, height }
  throw new MachineError('MACHINE_FAILED', `its video claims to be of ${width}x${height}`)
}

/**
 * Whether a video shows a screen of this size: a server rounds to what its encoder takes, multiples of 8 mostly, and makes it
 * smaller where the encoder fails otherwise.
 */
export function isVideoOf(video: ScreenSize, screen: ScreenSize): boolean {
  const stretch = (video.width * screen.height) / (video.height * screen.width)
  return stretch > 0.95 && stretch < 1.05
}

function parse(configuration: Uint8Array): ScreenSize {
  try {
    if (configuration.length > longestConfiguration) throw new Error('it is too long')
    const { croppedWidth: width, croppedHeight: height } = h264ParseConfiguration(configuration)
    return { width, height }
  } catch (cause) {
    throw new MachineError('MACHINE_FAILED', 'its video is no H.264', { cause })
  }
}
