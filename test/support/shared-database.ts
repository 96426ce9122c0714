import { join } from 'node:path'
import { EmbeddedPostgres } from '../../packages/server/src/db/embedded/server.ts'
import { cleanup } from '../../packages/server/src/testing/cleanup.ts'
import { temporaryFolder } from './service-process.ts'

export interface SharedDatabase {
  /** The test's own, with the database in it. */
  readonly folder: string
  /** The setting by which services use it. */
  readonly env: { readonly DATABASE_URL: string }
  stop(): Promise<void>
}

/** A database for several services of a test, in a folder that may have it from before. */
export async function sharedDatabase(from?: SharedDatabase): Promise<SharedDatabase> {
  const folder = from?.folder ?? (await temporaryFolder())
  const data = join(folder, 'postgres')
  const database = await EmbeddedPostgres.start(data, { info: () => {}, warn: () => {} })
  const stop = () => database.stop()
  cleanup.defer(stop)
  const env = { DATABASE_URL: `postgres://sandglass@localhost/postgres?host=${encodeURIComponent(data)}` }
  return { folder, env, stop }
}
