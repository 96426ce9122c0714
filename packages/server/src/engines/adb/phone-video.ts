import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { ScrcpyServer, type VideoOptions } from '@sandglass/machines/adb'
import { SettingError } from '../../setting-table.ts'
import type { Tell } from '../engine-definition.ts'

/** Where scrcpy packages install the server. */
const defaultPaths = ['/usr/local/share/scrcpy/scrcpy-server', '/usr/share/scrcpy/scrcpy-server']

/**
 * Finds what is needed to stream video from phones: the scrcpy server that the setting names or that is installed, and
 * ffmpeg. Returns undefined if either is missing, in which case phones are captured with screencap.
 */
export async function findPhoneVideo(
  named: string | undefined,
  tell: Tell,
  {
    paths = defaultPaths,
    decoder = 'ffmpeg',
  }: { readonly paths?: readonly string[]; readonly decoder?: string } = {},
): Promise<VideoOptions | undefined> {
  const server = named === undefined ? await readFirst(paths) : await readNamed(named)
  if (!server) return undefined
  if (await runs(decoder)) return { server, decoder }
  tell(
    'There is a scrcpy server but no ffmpeg: phones are captured with screencap. Install ffmpeg to stream them as video.',
  )
  return undefined
}

async function readFirst(paths: readonly string[]): Promise<ScrcpyServer | undefined> {
  for (const path of paths) {
    const server = await ScrcpyServer.read(path).catch(() => undefined)
    if (server) return server
  }
  return undefined
}

async function readNamed(path: string): Promise<ScrcpyServer> {
  return await ScrcpyServer.read(path).catch(cause => {
    throw new SettingError(
      `SANDGLASS_SCRCPY_SERVER cannot be read: ${cause.message}. Set it to the scrcpy-server file that comes with scrcpy, or unset it to capture phones with screencap.`,
      { cause },
    )
  })
}

async function runs(program: string): Promise<boolean> {
  return await promisify(execFile)(program, ['-version']).then(
    () => true,
    () => false,
  )
}
