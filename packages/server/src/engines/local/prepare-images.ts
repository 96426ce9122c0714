import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { buildImage, imageFolder } from '@sandglass/machines/images'
import type { LocalEngine } from '@sandglass/machines/local'
import type { Catalogue } from '../../modules/shapes/catalogue.ts'
import type { Tell } from '../engine-definition.ts'
import { ImagePreparation, type ImageStates } from '../image-preparation.ts'

/** The images that the shapes of the local engine use. */
export function localImages(shapes: Catalogue): string[] {
  return [...new Set(localShapes(shapes).map(({ image }) => image))]
}

/** The disk size of the first shape of the local engine. Doctor uses it to estimate how many desktops fit on the host. */
export function localDiskMiB(shapes: Catalogue): number | undefined {
  return localShapes(shapes)[0]?.diskMiB
}

/** The runtimes that the shapes of the local engine name. */
export function localRuntimes(shapes: Catalogue): string[] {
  return [...new Set(localShapes(shapes).flatMap(({ runtime }) => runtime ?? []))]
}

const localShapes = (shapes: Catalogue) => shapes.all().filter(({ engine }) => engine === 'local')

/** Builds the missing images of the shapes in the background, and removes those that nothing needs any more. */
export function prepareImages(
  engine: LocalEngine,
  shapes: Catalogue,
  states: ImageStates,
  tell: Tell,
): Promise<ImagePreparation> {
  const { imagesDir } = engine.settings
  return ImagePreparation.start(
    {
      images: localImages(shapes),
      nameOf: image => `image ${image}`,
      isBuilt: async image => existsSync(join(imagesDir, await imageFolder(image))),
      build: async (image, options) => void (await buildImage(image, { imagesDir, ...options })),
      makeReady: image =>
        engine.prepare(image, localShapes(shapes).find(shape => shape.image === image)?.diskMiB),
      removeUnused: () => engine.removeUnusedImages(),
    },
    states,
    tell,
  )
}
