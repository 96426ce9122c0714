import { type ListedShape, listShapes } from '@sandglass/protocol'
import type { Api } from '../../http/api.ts'
import type { Catalogue, CatalogueShape } from './catalogue.ts'

export function serveShapes(api: Api, catalogue: Catalogue): void {
  api.serve(listShapes, async ({ member }) => catalogue.visibleTo(member).map(listed))
}

function listed(shape: CatalogueShape): ListedShape {
  return {
    name: shape.name,
    description: shape.description,
    hardwareAcceleratedEncoding: shape.hardwareAcceleratedEncoding,
    pricePerHour: decimal(shape.pricePerHour),
    requiredPlanTier: shape.requiredPlanTier,
    requiredFeatureFlag: shape.requiredFeatureFlag,
    os: shape.os,
    virtualization: shape.virtualization,
    architecture: shape.architecture,
  }
}

/** Never in exponent notation, which a decimal parser refuses. */
function decimal(value: number): string {
  return value.toFixed(6).replace(/\.?0+$/, '')
}
