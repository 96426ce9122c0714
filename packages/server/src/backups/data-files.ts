import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readSecretKeys, type SecretKeySettings, secretKeyFile } from '../auth/secret-key-source.ts'

/** A file of a data directory that a backup contains. */
export interface DataFile {
  readonly name: string
  readonly text: string
}

/** The file with the first keys of a node. */
export const credentialsFileName = 'credentials.json'

/** Reads the keys of an installation, wherever its settings say that they are. */
export async function readDataFiles(settings: SecretKeySettings): Promise<DataFile[]> {
  const { keys } = await readSecretKeys(settings)
  const credentials = await readFile(join(settings.SANDGLASS_DATA, credentialsFileName), 'utf8').catch(
    cause => {
      if (cause.code === 'ENOENT') return undefined
      throw new Error(`${credentialsFileName} in the data directory cannot be read: ${cause.message}.`, {
        cause,
      })
    },
  )
  return [
    ...(keys ? [{ name: secretKeyFile, text: keys.text }] : []),
    ...(credentials === undefined ? [] : [{ name: credentialsFileName, text: credentials }]),
  ]
}
