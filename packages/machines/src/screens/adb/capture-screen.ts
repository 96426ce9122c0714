import type { AdbLink } from '../../adb/adb-link.ts'
import { type Capture, maxPixels, parseScreencap } from './screencap.ts'

/** With a margin for the header, and for what the device may complain about. */
const maxBytes = 4 * maxPixels + 65_536

/** Captures the screen of a device. */
export async function captureScreen(link: AdbLink, memory?: Uint8Array<ArrayBuffer>): Promise<Capture> {
  return parseScreencap(await link.shellOutput('screencap', maxBytes), memory)
}
