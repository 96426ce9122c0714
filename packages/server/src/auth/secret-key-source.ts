import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Settings } from '../settings.ts'
import { SecretKeys } from './secret-keys.ts'

/** The file in the data directory that has the secret keys, unless a setting names another place. */
export const secretKeyFile = 'secret-key'

/** Where this process gets its secret keys from. */
export interface SecretKeySource {
  /** The place, for messages: a setting or a path. */
  readonly place: string
  /** The file, unless the keys are in a setting. */
  readonly file: string | undefined
  /** True if this process may create the file. */
  readonly isOwnFile: boolean
  /** Undefined if the file in the data directory does not exist yet. */
  readonly keys: SecretKeys | undefined
}

export type SecretKeySettings = Pick<
  Settings,
  'SANDGLASS_DATA' | 'SANDGLASS_SECRET_KEY' | 'SANDGLASS_SECRET_KEY_FILE'
>

export async function readSecretKeys(settings: SecretKeySettings): Promise<SecretKeySource> {
  const { SANDGLASS_SECRET_KEY: given, SANDGLASS_SECRET_KEY_FILE: elsewhere } = settings
  if (given !== undefined)
    return { place: 'SANDGLASS_SECRET_KEY', file: undefined, isOwnFile: false, keys: given }
  const file = elsewhere ?? join(settings.SANDGLASS_DATA, secretKeyFile)
  const isOwnFile = elsewhere === undefined
  const text = await readFile(file, 'utf8').catch(cause => {
    if (isOwnFile && cause.code === 'ENOENT') return undefined
    throw new Error(`The secret key cannot be read from ${file}: ${cause.message}.`, { cause })
  })
  if (text === undefined) return { place: file, file, isOwnFile, keys: undefined }
  const keys = SecretKeys.parse(text)
  if (!keys)
    throw new Error(
      `${file} has no valid secret key. It must contain keys as npm run secret-key -- --new prints them, one per line, newest first. Restore it from a backup.`,
    )
  return { place: file, file, isOwnFile, keys }
}
