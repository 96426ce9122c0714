import type { AdbLink } from '../../adb/adb-link.ts'
import { type Capture, parseScreencap } from './screencap.ts'

/**
 * Captures the screen of a device. Uses the shell v2 protocol where the device has it, because the older one sends
 * everything through a terminal in chunks of 4 KiB.
 */
export async function captureScreen(link: AdbLink, memory?: Uint8Array<ArrayBuffer>): Promise<Capture> {
  const { shellProtocol } = link.adb.subprocess
  if (!shellProtocol) return parseScreencap(await link.output('screencap'), memory)
  const { stdout } = await shellProtocol.spawnWait('screencap')
  return parseScreencap(Buffer.from(stdout.buffer, stdout.byteOffset, stdout.length), memory)
}
