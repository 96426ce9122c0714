import { resolve } from 'node:path'
import type { EngineDefinition } from '../engines/engine-definition.ts'
import { registry } from '../engines/registry.ts'
import { type Environment, SettingError } from '../setting-table.ts'
import { type KnownSettings, knownSettings, unknownSetting } from '../settings.ts'
import { parseConfiguration } from './parse-configuration.ts'
import { readSettingsFile, refuseReadableByAll } from './read-settings-file.ts'
import { fileNameOf, readSecretFiles, secretsOf } from './secret-files.ts'

/**
 * Completes the environment of a program of the service: adds what the file in `SANDGLASS_CONFIG` sets and the environment
 * does not, and reads the files of secrets. Every program calls this first, except for those that the host starts with an
 * environment that is complete already. Throws a {@link SettingError} that says what to fix.
 */
export function readEnvironment(
  given: Environment,
  engines: readonly EngineDefinition[] = registry,
): Environment {
  const settings = knownSettings(engines)
  return readSecretFiles(withConfiguration(given, settings), settings)
}

function withConfiguration(given: Environment, settings: KnownSettings): Environment {
  const path = given['SANDGLASS_CONFIG']
  if (path === undefined || path === '') return given
  const file = resolve(path)
  const { text, isReadableByAll } = readSettingsFile('SANDGLASS_CONFIG', file)
  const configured = parseConfiguration(text, file)
  const secrets = secretsOf(settings)
  requireKnownNames(configured, file, settings, secrets)
  const contained = secrets.find(name => configured.get(name))
  if (isReadableByAll && contained !== undefined) refuseReadableByAll(contained, file)
  const isGiven = (name: string) => given[name] !== undefined && given[name] !== ''
  for (const name of secrets)
    if (isGiven(name) || isGiven(fileNameOf(name))) {
      // The environment wins, in whichever of the two forms it has the secret.
      configured.delete(name)
      configured.delete(fileNameOf(name))
    }
  const added = [...configured].filter(([name]) => !isGiven(name))
  return { ...given, ...Object.fromEntries(added) }
}

function requireKnownNames(
  configured: ReadonlyMap<string, string>,
  file: string,
  settings: KnownSettings,
  secrets: readonly string[],
): void {
  const files = new Set(secrets.map(fileNameOf))
  for (const name of configured.keys()) {
    if (name === 'SANDGLASS_CONFIG')
      throw new SettingError(`${file} sets SANDGLASS_CONFIG, which only the environment can set.`)
    if (!settings.has(name) && !files.has(name) && !name.startsWith('OTEL_'))
      throw new SettingError(`${file}: ${unknownSetting(name, [...settings.keys(), ...files])}`)
  }
}
