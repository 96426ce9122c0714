import { join } from 'node:path'
import { sql } from 'kysely'
import type { Logger } from 'pino'
import type { DatabaseAddress } from './db/address.ts'
import { openPool } from './db/database.ts'
import { EmbeddedPostgres, embeddedAddress } from './db/embedded/server.ts'
import { migrate } from './db/migrate.ts'
import type { Settings } from './settings.ts'

/** The minimum version of PostgreSQL that the migrations and queries require. */
const minPostgresVersion = 15

/** A migration of a large table takes time, and processes that start together wait for the one that migrates. */
const migrationTimeoutMs = 600_000

/** Brings the schema up to date and returns the migrations that were applied. Throws if the database cannot be used. */
export async function prepareDatabase(address: DatabaseAddress): Promise<readonly string[]> {
  const { db, close } = openPool(address, () => {}, { statementTimeoutMs: migrationTimeoutMs })
  try {
    const { rows } = await sql<{ server_version_num: string }>`SHOW server_version_num`.execute(db)
    const major = Math.floor(Number(rows[0]?.server_version_num) / 10_000)
    if (major < minPostgresVersion)
      throw new Error(`it is PostgreSQL ${major}; at least ${minPostgresVersion} is required`)
    return await migrate(db)
  } catch (cause) {
    const problem = cause instanceof Error ? cause.message : String(cause)
    throw new Error(`The database cannot be used (DATABASE_URL, ${address.shown}): ${problem}.`, { cause })
  } finally {
    await close()
  }
}

export function startEmbedded(dataDirectory: string, log: Logger): Promise<EmbeddedPostgres> {
  return EmbeddedPostgres.start(embeddedFolder(dataDirectory), {
    info: message => log.info(message),
    warn: message => log.warn(message),
  })
}

/** Returns the address of the operator's own database, or of the one in the data directory. */
export function databaseAddress({ DATABASE_URL: url, SANDGLASS_DATA: data }: Settings): DatabaseAddress {
  if (url === undefined) return embeddedAddress(embeddedFolder(data))
  const shown = new URL(url)
  shown.password = ''
  return { config: { connectionString: url }, shown: shown.href }
}

export function embeddedFolder(data: string): string {
  return join(data, 'postgres')
}
