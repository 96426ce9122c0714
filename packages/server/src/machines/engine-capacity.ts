import type { Engine } from '@sandglass/machines/contract'
import type { CatalogueShape } from '../modules/shapes/catalogue.ts'

/** How many more machines of a shape an engine could make now, and why none where it is none. */
export interface EngineCapacity {
  readonly free: number
  readonly reason?: string
}

/** The one place that asks engines for their capacity. It takes milliseconds or longer, so never within a transaction. */
export async function capacityOf(
  engine: Engine,
  { diskMiB, image }: Pick<CatalogueShape, 'diskMiB' | 'image'>,
): Promise<EngineCapacity> {
  const { fits: free, ...rest } = await engine.capacity(diskMiB, image)
  return { free, ...rest }
}
