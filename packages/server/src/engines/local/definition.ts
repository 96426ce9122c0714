import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { LocalEngineOptions } from '@sandglass/machines/local'
import { maxRawFileBytes } from '@sandglass/workers/contract'
import type { SettingValues } from '../../setting-table.ts'
import type { Settings } from '../../settings.ts'
import { defineEngine, type EngineContext } from '../engine-definition.ts'
import { packagesIn } from './packages.ts'
import { localSettings } from './settings.ts'

/** Only the process that creates machines loads what does it. */
const loadEngine = () => import('@sandglass/machines/local')

const withoutMachines = 'To run without machines: SANDGLASS_MACHINES=none npm start'

/** The engine for containers on this host. */
export const local = defineEngine({
  name: 'local',
  settings: localSettings,
  setUp: (values, settings) => {
    const options = optionsOf(values, settings)
    const packages = () => packagesIn(settings.SANDGLASS_DATA)
    const onHost = async (context: EngineContext) => {
      const { prepareHost } = await import('./prepare-host.ts')
      return await prepareHost(options, context, withoutMachines)
    }
    return {
      disabled:
        values.SANDGLASS_MACHINES === 'local'
          ? undefined
          : 'This process creates no machines on its host (SANDGLASS_MACHINES is none).',
      needsRoot: { instead: withoutMachines, configure: onHost, packages },
      isInstalled: existsSync(options.dataDir),
      configure: async context => {
        const open = await onHost(context)
        return async () => ({ ...(await open()), packages: packages() })
      },
      doctor: async shapes => (await import('./prepare-host.ts')).checkHost(options, shapes),
      openTransfer: async ({ isNew, tell }) => {
        if (!isNew && !existsSync(options.dataDir)) return undefined
        if (isNew) await (await import('./install-packages.ts')).installPackages(tell)
        const { LocalTransfer } = await loadEngine()
        return new LocalTransfer(options)
      },
      findExisting: async () => {
        if (!existsSync(options.dataDir)) return undefined
        const { LocalEngine } = await loadEngine()
        const engine = new LocalEngine(options)
        return { engine, madeFrom: 'image', removeHostResources: () => engine.dismantle() }
      },
    }
  },
})

/** How many files of workers that have ended are expected at a time. */
const endedWorkers = 4

export function optionsOf(
  values: SettingValues<typeof localSettings>,
  settings: Settings,
): LocalEngineOptions & { readonly imagesDir: string; readonly readyTimeoutMs: number } {
  const {
    SANDGLASS_DATA: dataDirectory,
    SANDGLASS_DISK_RESERVE: reserveDiskMiB,
    SANDGLASS_MEMORY_RESERVE: reserveMemoryMiB,
  } = settings
  const resolvers = values.SANDGLASS_RESOLVERS
  return {
    dataDir: join(dataDirectory, 'local'),
    imagesDir: values.SANDGLASS_IMAGES ?? join(dataDirectory, 'images'),
    ownsImages: values.SANDGLASS_IMAGES === undefined,
    runtime: values.SANDGLASS_RUNTIME,
    uplink: values.SANDGLASS_UPLINK,
    reserveDiskMiB,
    reserveMemoryMiB,
    unpromisedDiskMiB:
      (settings.SANDGLASS_S3_BUCKET ? 0 : settings.SANDGLASS_SCREENSHOTS_PER_NODE) + framesMiB(settings),
    diskOvercommit: values.SANDGLASS_DISK_OVERCOMMIT,
    readyTimeoutMs: values.SANDGLASS_START_TIMEOUT * 1000,
    ...(resolvers.length > 0 && { resolvers }),
  }
}

/** The files of frames that wait to be encoded: one per worker, and those of a few workers that have ended. */
function framesMiB({ SANDGLASS_WORKERS }: Settings): number {
  return ((SANDGLASS_WORKERS + endedWorkers) * maxRawFileBytes) / (1024 * 1024)
}
