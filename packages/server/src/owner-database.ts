import { existsSync } from 'node:fs'
import { DataDirectory, DataDirectoryInUse } from './data-directory.ts'
import { type Database, openPool } from './db/database.ts'
import { EmbeddedPostgres } from './db/embedded/server.ts'
import { embeddedFolder, ownerAddress } from './service-database.ts'
import type { Settings } from './settings.ts'

/** A walk over a large audit log may take longer than a call of the service would. */
const statementTimeoutMs = 600_000

/** Runs work on the database as the owner of its tables, whether the service is running or not. */
export async function withOwnerDatabase<T>(
  settings: Settings,
  work: (db: Database) => Promise<T>,
): Promise<T> {
  await using undo = new AsyncDisposableStack()
  undo.use(await runDatabase(settings))
  const { db, close } = openPool(ownerAddress(settings), () => {}, { statementTimeoutMs })
  undo.defer(close)
  return await work(db)
}

/** Makes the database of these settings run until the result is disposed of, whether the service is running or not. */
export async function runDatabase(
  settings: Pick<Settings, 'DATABASE_URL' | 'SANDGLASS_DATA'>,
): Promise<AsyncDisposable> {
  await using undo = new AsyncDisposableStack()
  if (settings.DATABASE_URL === undefined) await startUnlessRunning(settings.SANDGLASS_DATA, undo)
  return undo.move()
}

/** If the service is running, it holds the data directory and its database answers. */
async function startUnlessRunning(path: string, undo: AsyncDisposableStack): Promise<void> {
  const folder = embeddedFolder(path)
  if (!existsSync(folder))
    throw new Error(
      `There is no database in ${folder}. Set SANDGLASS_DATA or DATABASE_URL as for the service, and use sudo if the service runs as root.`,
    )
  try {
    const data = await DataDirectory.lock(path)
    undo.defer(() => data.release())
  } catch (error) {
    if (error instanceof DataDirectoryInUse) return
    throw error
  }
  const embedded = await EmbeddedPostgres.start(folder, { info: () => {}, warn: console.error })
  undo.defer(() => embedded.stop())
}
