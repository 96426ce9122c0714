import type { Environment } from '../setting-table.ts'
import type { Settings } from '../settings.ts'
import { adb } from './adb/definition.ts'
import type { EngineDefinition, EngineSetup } from './engine-definition.ts'
import { local } from './local/definition.ts'

/** Every engine that the service supports. */
export const registry: readonly EngineDefinition[] = [
  adb, // phones over ADB
  local, // containers on this host
]

/** Reads the settings of every engine. */
export function setUpEngines(
  env: Environment,
  settings: Settings,
  definitions: readonly EngineDefinition[] = registry,
): EngineSetup[] {
  return definitions.map(definition => definition.setUp(env, settings))
}
