import type { Device } from './device.ts'
import type { ShownPicture } from './shown-picture.ts'

/** A way to watch a device other than to capture its screen again and again. It takes a while to begin, and it may fail. */
export interface ScreenVideo {
  /** While it shows what the screen does: settles when captures are needed again. */
  readonly goesOn: Promise<void> | undefined
  /** Follows the screen until the signal; what fails is tried again later, and told by the video itself. */
  follow(device: Device, shown: ShownPicture, signal: AbortSignal): Promise<void>
}
