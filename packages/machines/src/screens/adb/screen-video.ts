import type { Device } from './device.ts'
import type { PublishedPicture } from './published-picture.ts'

/** A video of the screen, as an alternative to repeated captures. It takes a while to start, and may fail. */
export interface ScreenVideo {
  /** Defined while the video shows the screen. Resolves when captures are needed again. */
  readonly playing: Promise<void> | undefined
  /** Follows the screen until the signal fires. Failures are retried later, and the video itself reports them. */
  follow(device: Device, picture: PublishedPicture, signal: AbortSignal): Promise<void>
}
