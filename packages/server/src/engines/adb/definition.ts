import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { defineEngine, type EngineContext, type EngineOpener } from '../engine-definition.ts'
import { type PhonePools, readPhonePools, requirePools } from './phone-pools.ts'
import { adbSettings } from './settings.ts'

/** Only a process with phones loads what talks to them. */
const loadEngine = () => import('@sandglass/machines/adb')

/** The engine for phones that are reached over ADB. */
export const adb = defineEngine({
  name: 'adb',
  settings: adbSettings,
  load: loadEngine,
  setUp: (values, { SANDGLASS_DATA: data }) => {
    const { SANDGLASS_PHONES: file, SANDGLASS_SCRCPY_SERVER: scrcpyServer } = values
    const dataDir = join(data, 'phones')
    const readPools = async (): Promise<PhonePools> => (file === undefined ? {} : await readPhonePools(file))
    return {
      disabled: file === undefined ? 'This process has no phones (SANDGLASS_PHONES is not set).' : undefined,
      isInstalled: existsSync(dataDir),
      configure: async context => opener(dataDir, await readPools(), scrcpyServer, context),
      doctor: async () => (await import('./check-phones.ts')).checkPhones(await readPools()),
      findExisting: async tell => {
        const records = await readdir(join(dataDir, 'machines')).catch(() => [])
        if (records.length === 0) return undefined
        if (file !== undefined) {
          const { AdbEngine } = await loadEngine()
          const engine = await AdbEngine.open({ dataDir, pools: await readPools(), tell })
          return { engine, madeFrom: 'phone of pool' }
        }
        tell(
          `Phones are claimed in ${dataDir}, and stay claimed: set SANDGLASS_PHONES to the file with their pools to release them.`,
        )
        return undefined
      },
    }
  },
})

async function opener(
  dataDir: string,
  pools: PhonePools,
  scrcpyServer: string | undefined,
  { shapes, tell }: EngineContext,
): Promise<EngineOpener> {
  requirePools(shapes.all(), pools)
  const [{ AdbEngine }, { findPhoneVideo }] = await Promise.all([loadEngine(), import('./phone-video.ts')])
  const video = await findPhoneVideo(scrcpyServer, tell)
  return async () => {
    const engine = await AdbEngine.open({ dataDir, pools, tell, ...(video && { video }) })
    return { engine, prepared: Promise.resolve(), close: () => engine.close() }
  }
}
