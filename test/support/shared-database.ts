import { join } from 'node:path'
import { EmbeddedPostgres } from '../../packages/server/src/db/embedded/server.ts'
import { cleanup } from '../../packages/server/src/testing/cleanup.ts'
import { temporaryFolder } from './service-process.ts'

export interface SharedDatabase {
  /** The folder of the test that contains the database. */
  readonly folder: string
  /** The setting that makes services use it. */
  readonly env: { readonly DATABASE_URL: string }
  stop(): Promise<void>
}

/** A database that several services of a test share. The folder may contain it already. */
export async function sharedDatabase(from?: SharedDatabase): Promise<SharedDatabase> {
  const folder = from?.folder ?? (await temporaryFolder())
  const data = join(folder, 'postgres')
  const database = await EmbeddedPostgres.start(data, { info: () => {}, warn: () => {} })
  const stop = () => database.stop()
  cleanup.defer(stop)
  const env = { DATABASE_URL: `postgres://sandglass@localhost/postgres?host=${encodeURIComponent(data)}` }
  return { folder, env, stop }
}
