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
  { diskMiB }: Pick<CatalogueShape, 'diskMiB'>,
): Promise<EngineCapacity> {
  const free = await engine.room(diskMiB)
  if (free > 0) return { free }
  const reason = await engine.shortage(diskMiB)
  return reason === undefined ? { free: 1 } : { free: 0, reason }
}
