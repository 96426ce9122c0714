import { ApiError } from '@sandglass/protocol'
import type { EnvironmentSeal } from '../../auth/environment-seal.ts'
import type { CatalogueShape } from '../shapes/catalogue.ts'
import type { ImageRow } from './store.ts'

export type ReadyImage = ImageRow & {
  readonly engine: string
  readonly spec: NonNullable<ImageRow['spec']>
}

export function requireReady(image: ImageRow | undefined): ReadyImage {
  if (!image) throw new ApiError('image.NOT_FOUND')
  const { status, reason, engine, spec } = image
  if (status !== 'READY' || engine === null || spec === null)
    throw new ApiError('image.NOT_READY', {
      message: `The image is ${status}.${reason === null ? '' : ` ${reason}`}`,
    })
  return { ...image, engine, spec }
}

/** The shape of machines of an image. Its disk has the size and the base of the machine that was saved, whatever the shape is today. */
export function shapeOfImage(shape: CatalogueShape, { engine, spec }: ReadyImage): CatalogueShape {
  return { ...shape, engine, image: spec.image, diskMiB: spec.diskMiB }
}

/** The environment that the steps of its build have set. */
export function environmentOf(
  { id, sealed_env: sealedEnv }: ImageRow,
  seal: EnvironmentSeal,
): Readonly<Record<string, string>> {
  return sealedEnv === null ? {} : seal.openVariables(id, sealedEnv)
}
