import { join } from 'node:path'
import { AdbEngine } from '@sandglass/machines/adb'
import type { Tell } from './local-engines.ts'
import type { Engines } from './machines/engines.ts'
import type { Catalogue } from './modules/shapes/catalogue.ts'
import { readPhonePools, requirePools } from './phone-pools.ts'
import { findPhoneVideo } from './phone-video.ts'

/** The engine of the phones that a file names. */
export async function openPhones(
  file: string | undefined,
  dataDirectory: string,
  shapes: Catalogue,
  tell: Tell,
  scrcpyServer?: string,
): Promise<Engines | undefined> {
  const pools = file === undefined ? {} : await readPhonePools(file)
  requirePools(shapes.all(), pools)
  if (file === undefined) return undefined
  const video = await findPhoneVideo(scrcpyServer, tell)
  const dataDir = join(dataDirectory, 'phones')
  const engine = await AdbEngine.open({ dataDir, pools, tell, ...(video && { video }) })
  return {
    get: name => (name === engine.name ? engine : undefined),
    obstacle: (_name, pool) => engine.obstacle(pool),
    prepared: Promise.resolve(),
    close: () => engine.close(),
  }
}
