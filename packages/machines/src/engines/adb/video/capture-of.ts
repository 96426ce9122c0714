import { setTimeout as pause } from 'node:timers/promises'
import { MachineError } from '../../../contract/errors.ts'
import type { ScreenSize } from '../../../contract/spec.ts'
import type { Capture } from '../../../screens/adb/screencap.ts'
import { isVideoOf } from './video-size.ts'

const most = 15
const betweenMs = 200

/** A capture of the screen that a video of this size shows: one that is just turning may still be captured as it was. */
export async function captureOf(video: ScreenSize, capture: () => Promise<Capture>): Promise<Capture> {
  for (let count = 1; ; count++) {
    const screen = await capture()
    if (isVideoOf(video, screen)) return screen
    if (count === most)
      throw new MachineError(
        'MACHINE_FAILED',
        `its video is ${sizeText(video)}, and its screen ${sizeText(screen)}`,
      )
    await pause(betweenMs)
  }
}

const sizeText = ({ width, height }: ScreenSize) => `${width}x${height}`
