import type { Check } from '@sandglass/machines/contract'
import type { Catalogue } from '../modules/shapes/catalogue.ts'
import type { EngineSetup } from './engine-definition.ts'

/** Runs the doctor checks of every enabled engine. For a disabled engine it reports only why it is disabled. */
export async function checkEngines(setups: readonly EngineSetup[], shapes: Catalogue): Promise<Check[]> {
  const checks = await Promise.all(
    setups.map(async ({ name, disabled, doctor }): Promise<Check[]> => {
      if (disabled !== undefined) return [{ name: `engine ${name}`, result: 'ok', what: disabled }]
      return await doctor(shapes)
    }),
  )
  return checks.flat()
}
