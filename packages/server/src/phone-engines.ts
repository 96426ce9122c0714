import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { AdbEngine } from '@sandglass/machines/adb'
import type { Tell } from './local-engines.ts'
import type { Engines } from './machines/engines.ts'
import type { Catalogue } from './modules/shapes/catalogue.ts'
import { readPhonePools, requirePools } from './phone-pools.ts'
import { findPhoneVideo } from './phone-video.ts'
import type { Settings } from './settings.ts'

/** The engine of the phones that a data directory has claimed, to give them back; undefined where there are none. */
export async function existingPhoneEngine(settings: Settings, tell: Tell): Promise<AdbEngine | undefined> {
  const { SANDGLASS_DATA: data, SANDGLASS_PHONES: file } = settings
  const dataDir = join(data, 'phones')
  const records = await readdir(join(dataDir, 'machines')).catch(() => [])
  if (records.length === 0) return undefined
  if (file !== undefined) return await AdbEngine.open({ dataDir, pools: await readPhonePools(file), tell })
  tell(
    `Phones are claimed in ${dataDir}, and stay claimed: set SANDGLASS_PHONES to the file with their pools to release them.`,
  )
  return undefined
}

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
