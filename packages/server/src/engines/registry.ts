import type { Environment } from '../setting-table.ts'
import type { Settings } from '../settings.ts'
import { adb } from './adb/definition.ts'
import type { EngineDefinition, EngineSetup } from './engine-definition.ts'
import { incus } from './incus/definition.ts'
import { local } from './local/definition.ts'
import { qemu } from './qemu/definition.ts'

/** Every engine that the service supports. */
export const registry: readonly EngineDefinition[] = [
  adb, // phones over ADB
  incus, // containers in a cluster of Incus
  local, // containers on this host
  qemu, // virtual machines on this host
]

/** Reads the settings of every engine. */
export function setUpEngines(
  env: Environment,
  settings: Settings,
  definitions: readonly EngineDefinition[] = registry,
): EngineSetup[] {
  return definitions.map(definition => definition.setUp(env, settings))
}
