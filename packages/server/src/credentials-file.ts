import { KeyedMutex } from '@sandglass/supervision'
import { z } from 'zod'
import { hashOf } from './auth/secret.ts'
import type { DataDirectory } from './data-directory.ts'
import type { Database, Tx } from './db/database.ts'

/** The content of credentials.json, for the person who runs the service. */
const Credentials = z.object({
  url: z.string(),
  orgId: z.string(),
  apiKey: z.string(),
  operatorKey: z.string(),
})
export type Credentials = z.infer<typeof Credentials>

export type KeyInFile = 'apiKey' | 'operatorKey'

/** While a key is being rotated, the file contains the old secret too, because either may be the one that counts after a crash. */
const Stored = Credentials.extend({
  replaced: z.object({ key: z.enum(['apiKey', 'operatorKey']), secret: z.string() }).optional(),
})

const fileName = 'credentials.json'
/** The same for a shell, which sets the variables of clients when it reads the file. */
const shellFile = 'env'
/** Contains the id of the database that the credentials belong to. */
const installationFile = 'installation'

const tables = { apiKey: 'api_keys', operatorKey: 'operator_keys' } as const

/** The file in the data directory with the first keys of a node. */
export class CredentialsFile {
  readonly #data: DataDirectory
  readonly #mutex = new KeyedMutex()

  constructor(data: DataDirectory) {
    this.#data = data
  }

  /** Runs work while nobody else changes the file. Only one process uses a data directory. */
  exclusively<T>(work: () => Promise<T>): Promise<T> {
    return this.#mutex.run(this, work)
  }

  async read(): Promise<Credentials | undefined> {
    return Credentials.optional().parse(await this.#read())
  }

  async write(credentials: z.infer<typeof Stored>): Promise<void> {
    await this.#data.write(fileName, `${JSON.stringify(credentials, null, 2)}\n`)
    await this.#data.write(shellFile, shellText(credentials))
  }

  /**
   * Puts the new secret of a key into the file if it contains the old one. Call this before the new one is committed, so that
   * it is never lost, and {@link settle} afterwards, whether or not the commit succeeded. A damaged file is left as it is.
   */
  async offer(key: KeyInFile, oldHash: Buffer, secret: string): Promise<boolean> {
    const stored = await this.#read().catch(() => undefined)
    if (!stored || !hashOf(stored[key]).equals(oldHash)) return false
    await this.write({ ...stored, [key]: secret, replaced: { key, secret: stored[key] } })
    return true
  }

  /** Leaves only the secret that the database knows in the file. */
  async settle(db: Database | Tx): Promise<void> {
    const stored = await this.#read()
    if (!stored?.replaced) return
    const { replaced, ...credentials } = stored
    const isKnown = await db
      .selectFrom(tables[replaced.key])
      .select('id')
      .where('hash', '=', hashOf(stored[replaced.key]))
      .executeTakeFirst()
    await this.write(isKnown ? credentials : { ...credentials, [replaced.key]: replaced.secret })
  }

  /**
   * If the service was started with another database before, its credentials are set aside under the id of that
   * database, and those of the current one are restored. A start with the wrong database therefore does not lose the
   * keys of the right one.
   */
  async switchInstallation(installation: string): Promise<void> {
    const before = (await this.#data.read(installationFile))?.trim()
    if (before !== installation) {
      const current = await this.#data.read(fileName)
      if (before && current !== undefined) {
        await this.#data.write(asideFile(before), current)
        await this.#data.remove(fileName)
        await this.#data.remove(shellFile)
      }
      await this.#data.write(installationFile, `${installation}\n`)
    }
    // This also completes an exchange that an earlier start did not finish.
    const aside = await this.#data.read(asideFile(installation))
    if (aside === undefined) return
    if ((await this.#data.read(fileName)) === undefined) await this.#data.write(fileName, aside)
    await this.#data.remove(asideFile(installation))
  }

  async #read(): Promise<z.infer<typeof Stored> | undefined> {
    const text = await this.#data.read(fileName)
    if (text === undefined) return undefined
    try {
      return Stored.parse(JSON.parse(text))
    } catch (cause) {
      throw new Error(
        `${fileName} in the data directory is damaged. Move it away and start again to get new keys.`,
        { cause },
      )
    }
  }
}

const asideFile = (installation: string) => `credentials-${installation}.json`

/** The operator's key is left out, because programs that a shell starts inherit its variables. */
function shellText({ url, orgId, apiKey }: Credentials): string {
  const variables = { SANDGLASS_URL: url, SANDGLASS_ORG: orgId, SANDGLASS_API_KEY: apiKey }
  const lines = Object.entries(variables).map(([name, value]) => `export ${name}=${quoted(value)}\n`)
  return lines.join('')
}

/** The text as one word of any POSIX shell. */
const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`
