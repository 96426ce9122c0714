import type { EffectiveSetting } from '@sandglass/protocol'
import type { EngineDefinition } from './engines/engine-definition.ts'
import { registry } from './engines/registry.ts'
import type { Environment, Setting } from './setting-table.ts'
import { knownSettings } from './settings.ts'

/** Returns the settings of the service and of its engines as they apply, without the values of secrets. */
export function effectiveSettings(
  env: Environment,
  engines: readonly EngineDefinition[] = registry,
): EffectiveSetting[] {
  return [...knownSettings(engines)].map(([name, setting]) => effective(name, setting, env[name]))
}

function effective(name: string, setting: Setting, given: string | undefined): EffectiveSetting {
  // An empty variable counts as one that is not set.
  const isSet = given !== undefined && given !== ''
  const isSecret = setting.secret === true
  const value = isSet ? withoutPassword(given) : (setting.default ?? null)
  return { name, value: isSecret ? null : value, isDefault: !isSet, isSecret, about: setting.about }
}

/** A URL can contain a password even if the setting is not meant for secrets. */
function withoutPassword(text: string): string {
  return text.replaceAll(/(:\/\/)[^/@\s]*@/g, '$1…@')
}
