import { sql } from 'kysely'
import type { DataDirectory } from '../data-directory.ts'
import type { Database, Tx } from '../db/database.ts'
import { transact } from '../db/transact.ts'
import {
  readSecretKeys,
  type SecretKeySettings,
  type SecretKeySource,
  secretKeyFile,
} from './secret-key-source.ts'
import { SecretKeys } from './secret-keys.ts'

const name = 'master'

/** The advisory lock under which one process at a time decides which key belongs to the database. */
const lockId = 0x5a4d_91a6

/**
 * Returns the secret keys of this process. The database has only the id of the key that its processes use, so that a
 * process with another key is refused, instead of making tokens that no other process accepts. The first start on a
 * database creates the key, and the first start after an upgrade moves it out of the database.
 */
export async function openSecretKeys(
  db: Database,
  data: DataDirectory,
  settings: SecretKeySettings,
): Promise<SecretKeys> {
  const source = await readSecretKeys(settings)
  return transact(db, async tx => {
    await sql`SELECT pg_advisory_xact_lock(${lockId})`.execute(tx)
    const row = await tx
      .selectFrom('service_keys')
      .select(['secret', 'key_id'])
      .where('name', '=', name)
      .executeTakeFirst()
    const keys = row?.secret
      ? await moved(row.secret, source, data)
      : await known(row?.key_id ?? undefined, source, data)
    if (row?.secret || row?.key_id !== keys.ids[0]) await noteKey(tx, keys.ids[0])
    return keys
  })
}

/** Removes the id of the key from the database, so that the next start may use any key. */
export async function forgetSecretKey(db: Database): Promise<void> {
  await db.deleteFrom('service_keys').where('name', '=', name).execute()
}

async function noteKey(tx: Tx, id: string): Promise<void> {
  const values = { secret: null, key_id: id }
  await tx
    .insertInto('service_keys')
    .values({ name, ...values })
    .onConflict(conflict => conflict.column('name').doUpdateSet(values))
    .execute()
}

/** The key of an earlier version is on the disk before the transaction removes it from the database. */
async function moved(secret: Buffer, source: SecretKeySource, data: DataDirectory): Promise<SecretKeys> {
  const found = new SecretKeys(secret)
  if (source.keys?.ids.includes(found.ids[0])) return source.keys
  if (source.keys)
    throw new Error(
      `The database still contains the secret key of an earlier version, and ${source.place} has another one. Start once without it (and without the file ${secretKeyFile} in the data directory): the key is then moved into that file, from where you can copy it to every process.`,
    )
  await data.write(secretKeyFile, found.text)
  return found
}

async function known(
  id: string | undefined,
  source: SecretKeySource,
  data: DataDirectory,
): Promise<SecretKeys> {
  if (source.keys && (id === undefined || source.keys.ids.includes(id))) return source.keys
  if (id === undefined) {
    const keys = SecretKeys.generate()
    await data.write(secretKeyFile, keys.text)
    return keys
  }
  const has = source.keys
    ? `${source.place} has ${source.keys.ids.join(' and ')}`
    : `${source.place} does not exist`
  throw new Error(
    `This database belongs to the secret key ${id}, and ${has}. All processes of a database need the same secret key: copy the file ${secretKeyFile} from the data directory of a process that uses this database, or set SANDGLASS_SECRET_KEY_FILE. If DATABASE_URL is the wrong database, correct it. If the key is lost, run npm run secret-key -- --lost. See "The secret key" in docs/operating.md.`,
  )
}
