import type { EngineSetup, NeedsRoot } from '../engines/engine-definition.ts'

/** The enabled engines that work only as root, by name. The host process opens them for the service. */
export function hostedEngines(setups: readonly EngineSetup[]): ReadonlyMap<string, NeedsRoot> {
  return new Map(
    setups.flatMap(({ name, disabled, needsRoot }) =>
      disabled === undefined && needsRoot ? [[name, needsRoot] as const] : [],
    ),
  )
}
