import { setTimeout as pause } from 'node:timers/promises'
import { MachineError } from '../../../contract/errors.ts'
import type { ScreenSize } from '../../../contract/spec.ts'
import type { Capture } from '../../../screens/adb/screencap.ts'
import { isVideoOf } from './video-size.ts'

const maxAttempts = 15
const retryMs = 200

/**
 * Captures the screen until its proportions match the video. A screen that is just rotating may still be captured in
 * its old orientation.
 */
export async function captureMatching(video: ScreenSize, capture: () => Promise<Capture>): Promise<Capture> {
  for (let count = 1; ; count++) {
    const screen = await capture()
    if (isVideoOf(video, screen)) return screen
    if (count === maxAttempts)
      throw new MachineError(
        'MACHINE_FAILED',
        `its video is ${sizeText(video)}, but its screen is ${sizeText(screen)}`,
      )
    await pause(retryMs)
  }
}

const sizeText = ({ width, height }: ScreenSize) => `${width}x${height}`
