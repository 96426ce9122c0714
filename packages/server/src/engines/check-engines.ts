import type { Check } from '@sandglass/machines/contract'
import type { Catalogue } from '../modules/shapes/catalogue.ts'
import type { EngineSetup } from './engine-definition.ts'

/** What doctor reports of every engine; of one that is disabled, only that it is. */
export async function checkEngines(setups: readonly EngineSetup[], shapes: Catalogue): Promise<Check[]> {
  const checks = await Promise.all(
    setups.map(async ({ name, disabled, doctor }): Promise<Check[]> => {
      if (disabled !== undefined) return [{ name: `engine ${name}`, result: 'ok', what: disabled }]
      return await doctor(shapes)
    }),
  )
  return checks.flat()
}
