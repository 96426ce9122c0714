import type { OpenedOnHost } from '@sandglass/host'
import type { BaseImageBuild, Check } from '@sandglass/machines/contract'
import { doctor, LocalEngine, type LocalEngineOptions, runtimeNames } from '@sandglass/machines/local'
import type { EngineContext } from '../engine-definition.ts'
import { requireRuntimes } from '../require-runtimes.ts'
import { installPackages, installRunsc } from './install-packages.ts'
import { localDiskMiB, localImages, localRuntimes, prepareImages } from './prepare-images.ts'
import { refuse } from './refuse.ts'

type Options = LocalEngineOptions & { readonly imagesDir: string; readonly readyTimeoutMs: number }

export async function checkHost(options: Options, shapes: EngineContext['shapes']): Promise<Check[]> {
  return await doctor(options, localImages(shapes), localRuntimes(shapes), localDiskMiB(shapes))
}

/**
 * Installs missing Debian packages first, so that doctor does not report them; its remaining failures stop the start.
 * Returns what opens the engine.
 */
export async function prepareHost(
  options: Options,
  context: EngineContext,
  instead: string,
): Promise<() => Promise<OpenedOnHost>> {
  requireRuntimes(context.shapes, 'local', runtimeNames)
  await installPackages(context.tell)
  if ([options.runtime, ...localRuntimes(context.shapes)].includes('runsc')) await installRunsc(context.tell)
  refuse(await checkHost(options, context.shapes), instead)
  return opener(options, context)
}

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
