import type { EnvironmentSeal } from '../../auth/environment-seal.ts'
import type { Database } from '../../db/database.ts'
import { fitsPool, type MachineChoices } from '../../machines/spec.ts'
import type { WantedMachines } from '../../machines/warm-pool.ts'
import type { WarmKind } from '../../records/machines.ts'
import type { Catalogue, CatalogueShape } from '../shapes/catalogue.ts'
import { environmentOf, type ReadyImage, requireReady, shapeOfImage } from './ready-image.ts'
import { selectWarmImages } from './store.ts'

/** Returns the machines of images that a node is to keep ready, which are those whose disks it has. */
export async function wantedOfImages(
  db: Database,
  nodeId: string,
  shapes: Catalogue,
  seal: EnvironmentSeal,
): Promise<WantedMachines[]> {
  const images = (await selectWarmImages(db, nodeId)).map(requireReady)
  return images.flatMap(image => {
    const shape = shapes.find(image.shape_name)
    // Nobody can create a sandbox of a shape that is no longer offered.
    if (!shape) return []
    const choices = (): MachineChoices => ({
      egress: 'internet',
      env: environmentOf(image, seal),
      screen: image.spec.screen,
    })
    return [
      {
        shapeName: shape.name,
        imageId: image.id,
        orgId: image.org_id,
        warm: image.warm,
        shape: shapeOfImage(shape, image),
        choices,
      },
    ]
  })
}

/** Returns the warm machines that a create from an image may claim; undefined if its choices need a machine of its own. */
export function warmKindOf(
  image: ReadyImage,
  shape: CatalogueShape,
  choices: MachineChoices,
): WarmKind | undefined {
  const usual = { screen: image.spec.screen ?? shape.screen }
  return image.warm > 0 && fitsPool(usual, choices) ? { shapeName: shape.name, imageId: image.id } : undefined
}
