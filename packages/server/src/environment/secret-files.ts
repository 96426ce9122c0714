import { resolve } from 'node:path'
import { type Environment, SettingError } from '../setting-table.ts'
import type { KnownSettings } from '../settings.ts'
import { readSettingsFile, refuseReadableByAll } from './read-settings-file.ts'

/** The name by which a secret is given as a file. */
export const fileNameOf = (secret: string) => `${secret}_FILE`

/** The names of the settings that are secrets. */
export const secretsOf = (settings: KnownSettings): string[] =>
  [...settings].filter(([, { secret }]) => secret).map(([name]) => name)

/**
 * Replaces every `…_FILE` of a secret by the content of the file. A secret that has a setting of its own for its file, which
 * the service may also write, is only checked.
 */
export function readSecretFiles(env: Environment, settings: KnownSettings): Environment {
  const result: Record<string, string | undefined> = { ...env }
  for (const secret of secretsOf(settings)) {
    const name = fileNameOf(secret)
    const path = env[name]
    if (path === undefined || path === '') {
      if (!settings.has(name)) delete result[name]
      continue
    }
    if (env[secret]) throw new SettingError(`Set ${secret} or ${name}, not both.`)
    const file = readSettingsFile(name, resolve(path))
    if (file.isReadableByAll) refuseReadableByAll(name, resolve(path))
    if (settings.has(name)) continue
    const text = file.text.replace(/[\r\n]+$/, '')
    if (text === '') throw new SettingError(`${name}: ${resolve(path)} is empty. Write the secret into it.`)
    delete result[name]
    result[secret] = text
  }
  return result
}
