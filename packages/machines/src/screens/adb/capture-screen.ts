import type { AdbLink } from '../../adb/adb-link.ts'
import { type Capture, parseScreencap } from './screencap.ts'

/**
 * What a device shows now. By the newer protocol of its shell where it has that: the older one passes everything through a
 * terminal, 4 KiB at a time.
 */
export async function captureScreen(link: AdbLink, memory?: Uint8Array<ArrayBuffer>): Promise<Capture> {
  const { shellProtocol } = link.adb.subprocess
  if (!shellProtocol) return parseScreencap(await link.output('screencap'), memory)
  const { stdout } = await shellProtocol.spawnWait('screencap')
  return parseScreencap(Buffer.from(stdout.buffer, stdout.byteOffset, stdout.length), memory)
}
