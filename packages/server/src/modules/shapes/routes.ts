import { type ListedShape, listShapes } from '@sandglass/protocol'
import type { Api } from '../../http/api.ts'
import { type Catalogue, type CatalogueShape, publicShape } from './catalogue.ts'

export function serveShapes(api: Api, catalogue: Catalogue): void {
  api.serve(listShapes, async ({ member }) => catalogue.visibleTo(member).map(listed))
}

function listed(shape: CatalogueShape): ListedShape {
  return { ...publicShape(shape, shape.name), pricePerHour: decimal(shape.pricePerHour) }
}

/** Formats a number without exponent notation, which decimal parsers refuse. */
function decimal(value: number): string {
  return value.toFixed(6).replace(/\.?0+$/, '')
}
