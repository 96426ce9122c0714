import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import type pg from 'pg'
import type { DatabaseAddress } from '../db/address.ts'
import { version } from '../version.ts'
import type { Sealing } from './backup-key.ts'
import type { DataFile } from './data-files.ts'
import { copyDatabase } from './database/copy-database.ts'
import { openConnection } from './database/one-connection.ts'
import { selectKept, storeKept, type WantedKept } from './kept/store-kept.ts'
import type { Content, Manifest } from './manifest.ts'
import { BackupBusyError, BackupError, Repository } from './repository.ts'
import type { BackupStorage } from './storage/storage.ts'

/** The advisory lock under which one process at a time makes backups of a database and removes old ones. */
const lockId = 0x5a4d_91a8

export interface BackupParts {
  /** The database, for a role that may read all of it. */
  readonly address: DatabaseAddress
  readonly storage: BackupStorage
  readonly sealing: Sealing
  readonly nodeId: string | null
  readonly files: readonly DataFile[]
  /** What is wanted of that which engines keep. If it is omitted, the backup contains none of it. */
  readonly kept?: WantedKept | undefined
  /** How many backups are kept, with the new one. If it is omitted, none is removed. */
  readonly keep?: number | undefined
  /** Whether it waits for another backup to end, instead of throwing a {@link BackupBusyError}. */
  readonly waits?: boolean
}

/** A backup that was made. */
export interface MadeBackup {
  readonly manifest: Manifest
  /** The backups that were removed for it. */
  readonly removed: readonly string[]
}

/** Adds a backup to those in a storage, while the service runs. If it fails, the earlier ones are as they were. */
export async function createBackup(parts: BackupParts): Promise<MadeBackup> {
  await using connection = await openConnection(parts.address)
  const { client } = connection
  await beAlone(client, parts.waits === true)
  const repository = await Repository.openFor(parts.storage, parts.sealing, await installationOf(client))
  const store = (content: AsyncIterable<Uint8Array>) => repository.store(content)
  const at = await timeOf(client)
  const { kept: wanted } = parts
  const { copy, read } = await copyDatabase(client, store, async moment =>
    wanted ? await selectKept(moment, wanted.include, parts.nodeId) : [],
  )
  const manifest: Manifest = {
    format: 1,
    id: `${at.toISOString().replaceAll(/[-:]/g, '').replace('.', '-')}-${randomBytes(3).toString('hex')}`,
    at: at.toISOString(),
    version,
    nodeId: parts.nodeId,
    hostname: hostname(),
    installation: repository.installation,
    database: copy,
    files: await storeFiles(parts.files, store),
    kept: wanted ? await storeKept(repository, read, wanted) : [],
  }
  // The lock has ended if the connection has, and another process may have begun.
  await client.query('SELECT 1')
  await repository.commit(manifest)
  return {
    manifest,
    removed: parts.keep === undefined ? [] : await repository.prune(parts.keep, manifest.id),
  }
}

async function storeFiles(
  files: readonly DataFile[],
  store: (content: AsyncIterable<Uint8Array>) => Promise<Content>,
): Promise<Manifest['files']> {
  const stored: Manifest['files'] = []
  for (const { name, text } of files) stored.push({ name, content: await store(once(Buffer.from(text))) })
  return stored
}

async function* once(content: Uint8Array): AsyncGenerator<Uint8Array> {
  yield content
}

/** Two backups at a time could remove what the other one relies on. The lock ends with the connection. */
async function beAlone(client: pg.Client, waits: boolean): Promise<void> {
  if (waits) await client.query('SELECT pg_advisory_lock($1)', [lockId])
  else {
    const { rows } = await client.query<{ free: boolean }>('SELECT pg_try_advisory_lock($1) AS free', [
      lockId,
    ])
    if (!rows[0]?.free) throw new BackupBusyError()
  }
}

export async function installationOf(client: pg.ClientBase): Promise<string> {
  const { rows } = await client.query<{ id: string }>('SELECT id FROM installation')
  if (!rows[0]) throw new BackupError('The database has no installation yet; start the service on it once.')
  return rows[0].id
}

/** Backups of several processes are ordered by the clock of the database. */
async function timeOf(client: pg.ClientBase): Promise<Date> {
  const { rows } = await client.query<{ now: Date }>('SELECT clock_timestamp() AS now')
  return rows[0]?.now ?? new Date()
}
