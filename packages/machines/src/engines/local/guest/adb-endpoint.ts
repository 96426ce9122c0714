import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { GuestEndpoint } from '../network/dial.ts'
import type { Settings } from '../options.ts'

/**
 * Returns where adbd listens in machines of this image, or undefined if it is not a phone. The image declares it in a
 * file.
 */
export async function adbEndpoint(settings: Settings, image: string): Promise<GuestEndpoint | undefined> {
  const text = await readFile(join(settings.imagesDir, image, 'etc/sandglass/adb'), 'utf8').catch(() => '')
  const [, port] = /^tcp:127\.0\.0\.1:(\d+)\n$/.exec(text) ?? []
  return port === undefined ? undefined : `tcp:127.0.0.1:${Number(port)}`
}
