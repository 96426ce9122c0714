import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Endpoint } from '../../../contract/machine.ts'
import type { Settings } from '../options.ts'

/** Where adbd listens in machines of this image; undefined where it is no phone. The image says so itself. */
export async function adbEndpoint(settings: Settings, image: string): Promise<Endpoint | undefined> {
  const said = await readFile(join(settings.imagesDir, image, 'etc/sandglass/adb'), 'utf8').catch(() => '')
  const [, port] = /^tcp:127\.0\.0\.1:(\d+)\n$/.exec(said) ?? []
  return port === undefined ? undefined : `tcp:127.0.0.1:${Number(port)}`
}
