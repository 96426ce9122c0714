import type { Engine } from '@sandglass/machines/contract'
import type { CatalogueShape } from '../modules/shapes/catalogue.ts'

/** How many more machines of a shape an engine could create now, and the reason if it is none. */
export interface EngineCapacity {
  readonly free: number
  readonly reason?: string
}

/** Asks an engine for its capacity. This can take milliseconds or longer, so do not call it inside a transaction. */
export async function capacityOf(
  engine: Engine,
  { diskMiB, image }: Pick<CatalogueShape, 'diskMiB' | 'image'>,
): Promise<EngineCapacity> {
  const { fits: free, ...rest } = await engine.capacity(diskMiB, image)
  return { free, ...rest }
}
