import { join } from 'node:path'
import { sql } from 'kysely'
import type { Logger } from 'pino'
import { backUpBeforeUpgrade, refuseNewerDatabase } from './backups/upgrade-backup.ts'
import type { DatabaseAddress } from './db/address.ts'
import { openPool } from './db/database.ts'
import { EmbeddedPostgres, embeddedAddress } from './db/embedded/server.ts'
import { migrate } from './db/migrate.ts'
import { createServiceRole, grantService, roleOf, serviceRole } from './db/service-role.ts'
import type { Settings } from './settings.ts'

/** The minimum version of PostgreSQL that the migrations and queries require. */
const minPostgresVersion = 15

/** A migration of a large table takes time, and processes that start together wait for the one that migrates. */
const migrationTimeoutMs = 600_000

type AddressSettings = Pick<Settings, 'DATABASE_URL' | 'SANDGLASS_DATABASE_OWNER_URL' | 'SANDGLASS_DATA'>

/**
 * Brings the schema up to date as the owner of the tables, after a backup, lets the role of the service use them, and returns the
 * migrations that were applied. Throws if the database cannot be used.
 */
export async function prepareDatabase(settings: Settings): Promise<readonly string[]> {
  const address = ownerAddress(settings)
  const { db, close } = openPool(address, () => {}, { statementTimeoutMs: migrationTimeoutMs })
  try {
    const { rows } = await sql<{ server_version_num: string }>`SHOW server_version_num`.execute(db)
    const major = Math.floor(Number(rows[0]?.server_version_num) / 10_000)
    if (major < minPostgresVersion)
      throw new Error(`it is PostgreSQL ${major}; at least ${minPostgresVersion} is required`)
    await refuseNewerDatabase(db)
    await backUpBeforeUpgrade(db, address, settings)
    const applied = await migrate(db)
    if (settings.DATABASE_URL === undefined) await createServiceRole(db)
    if (settings.DATABASE_URL === undefined || settings.SANDGLASS_DATABASE_OWNER_URL !== undefined)
      await grantService(db, await roleOf(databaseAddress(settings)))
    return applied
  } catch (cause) {
    const problem = (cause instanceof Error ? cause.message : String(cause)).replace(/\.$/, '')
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

/** The address of the operator's own database, or of the one in the data directory, for the role that the service works with. */
export function databaseAddress({
  DATABASE_URL: url,
  SANDGLASS_DATA: data,
}: AddressSettings): DatabaseAddress {
  return url === undefined ? embeddedAddress(embeddedFolder(data), serviceRole) : addressOf(url)
}

/** The same database for the role that owns the tables. It is the service's own role if the operator has set up only one. */
export function ownerAddress(settings: AddressSettings): DatabaseAddress {
  const { DATABASE_URL: url, SANDGLASS_DATABASE_OWNER_URL: ownerUrl, SANDGLASS_DATA: data } = settings
  if (url === undefined) return embeddedAddress(embeddedFolder(data))
  return addressOf(ownerUrl ?? url)
}

function addressOf(url: string): DatabaseAddress {
  const shown = new URL(url)
  shown.password = ''
  return { config: { connectionString: url }, shown: shown.href }
}

export function embeddedFolder(data: string): string {
  return join(data, 'postgres')
}
