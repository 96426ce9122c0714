import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { OpenedOnHost } from '@sandglass/host'
import type { BaseImageBuild } from '@sandglass/machines/contract'
import {
  doctor,
  LocalEngine,
  type LocalEngineOptions,
  LocalTransfer,
  runtimeNames,
} from '@sandglass/machines/local'
import { maxRawFileBytes } from '@sandglass/workers/contract'
import type { SettingValues } from '../../setting-table.ts'
import type { Settings } from '../../settings.ts'
import { defineEngine, type EngineContext } from '../engine-definition.ts'
import { requireRuntimes } from '../require-runtimes.ts'
import { installPackages, installRunsc } from './install-packages.ts'
import { packagesIn } from './packages.ts'
import { localDiskMiB, localImages, localRuntimes, prepareImages } from './prepare-images.ts'
import { refuse } from './refuse.ts'
import { localSettings } from './settings.ts'

const withoutMachines = 'To run without machines: SANDGLASS_MACHINES=none npm start'

/** The engine for containers on this host. */
export const local = defineEngine({
  name: 'local',
  settings: localSettings,
  setUp: (values, settings) => {
    const options = optionsOf(values, settings)
    const check = async (shapes: EngineContext['shapes']) =>
      await doctor(options, localImages(shapes), localRuntimes(shapes), localDiskMiB(shapes))
    const packages = () => packagesIn(settings.SANDGLASS_DATA)
    // Install missing Debian packages first, so that doctor does not report them; its remaining failures stop the start.
    const onHost = async (context: EngineContext) => {
      requireRuntimes(context.shapes, 'local', runtimeNames)
      await installPackages(context.tell)
      if ([options.runtime, ...localRuntimes(context.shapes)].includes('runsc'))
        await installRunsc(context.tell)
      refuse(await check(context.shapes), withoutMachines)
      return opener(options, context)
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
      doctor: check,
      openTransfer: async ({ isNew, tell }) => {
        if (isNew) await installPackages(tell)
        return isNew || existsSync(options.dataDir) ? new LocalTransfer(options) : undefined
      },
      findExisting: async () => {
        if (!existsSync(options.dataDir)) return undefined
        const engine = new LocalEngine(options)
        return { engine, madeFrom: 'image', removeHostResources: () => engine.dismantle() }
      },
    }
  },
})

/** Missing images are built in the background, so that they do not delay the start. */
function opener(options: LocalEngineOptions, { shapes, tell }: EngineContext): () => Promise<OpenedOnHost> {
  return async () => {
    const unavailableImages = new Map<string, string>()
    const imageBuilds = new Map<string, BaseImageBuild>()
    const engine = new LocalEngine({ ...options, unavailableImages, imageBuilds })
    const images = await prepareImages(engine, shapes, { unavailableImages, imageBuilds }, tell)
    return {
      engine,
      prepared: images.done,
      close: async () => {
        await images.stop()
        await engine.close()
      },
    }
  }
}

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
