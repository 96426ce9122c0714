import { join } from 'node:path'
import { SecretKeys } from '../../packages/server/src/auth/secret-keys.ts'
import { EmbeddedPostgres } from '../../packages/server/src/db/embedded/server.ts'
import { cleanup } from '../../packages/server/src/testing/cleanup.ts'
import { copyCluster } from '../../packages/server/src/testing/copy-cluster.ts'
import { temporaryFolder } from './service-process.ts'

export interface SharedDatabase {
  /** The folder of the test that contains the database. */
  readonly folder: string
  /** The settings that make services use it. All of them need the same secret key. */
  readonly env: { readonly DATABASE_URL: string; readonly SANDGLASS_SECRET_KEY: string }
  stop(): Promise<void>
}

/** A database that several services of a test share. The folder may contain it already. */
export async function sharedDatabase(from?: SharedDatabase): Promise<SharedDatabase> {
  const folder = from?.folder ?? (await temporaryFolder())
  const data = join(folder, 'postgres')
  await copyCluster(data)
  const database = await EmbeddedPostgres.start(data, { info: () => {}, warn: () => {} })
  const stop = () => database.stop()
  cleanup.defer(stop)
  const env = {
    DATABASE_URL: `postgres://sandglass@localhost/postgres?host=${encodeURIComponent(data)}`,
    SANDGLASS_SECRET_KEY: from?.env.SANDGLASS_SECRET_KEY ?? SecretKeys.generate().text.trim(),
  }
  return { folder, env, stop }
}
