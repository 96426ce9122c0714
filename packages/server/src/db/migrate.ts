import type { Kysely } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import * as foundation from './migrations/0001-foundation.ts'
import * as machines from './migrations/0002-machines.ts'
import * as control from './migrations/0003-control.ts'
import * as applications from './migrations/0004-applications.ts'
import * as mappings from './migrations/0005-mappings.ts'
import * as mcp from './migrations/0006-mcp.ts'
import * as live from './migrations/0007-live.ts'
import * as installation from './migrations/0008-installation.ts'
import * as health from './migrations/0009-health.ts'
import * as placement from './migrations/0010-placement.ts'
import * as nodeAddresses from './migrations/0012-node-addresses.ts'
import * as secretKey from './migrations/0013-secret-key.ts'
import * as auditChain from './migrations/0014-audit-chain.ts'
import * as savedDisks from './migrations/0015-saved-disks.ts'
import * as imageBuilds from './migrations/0016-image-builds.ts'
import * as volumes from './migrations/0017-volumes.ts'
import * as events from './migrations/0018-events.ts'
import * as webhooks from './migrations/0019-webhooks.ts'
import * as lifecycle from './migrations/0020-lifecycle.ts'
import * as warmImages from './migrations/0021-warm-images.ts'
import * as savedMemory from './migrations/0022-saved-memory.ts'
import * as sessions from './migrations/0023-sessions.ts'
import * as timeline from './migrations/0024-timeline.ts'
import * as keysAndActivity from './migrations/0025-keys-and-activity.ts'
import * as controlHolder from './migrations/0027-control-holder.ts'
import * as clusters from './migrations/0028-clusters.ts'
import * as removedNodes from './migrations/0029-removed-nodes.ts'
import * as browsers from './migrations/0030-browsers.ts'
import * as mappingWaits from './migrations/0031-mapping-waits.ts'
import * as buildUploads from './migrations/0032-build-uploads.ts'
import type { Schema } from './schema.ts'

/** Migrations run in the order of their names. A migration that has been released is never edited. */
const migrations: Readonly<Record<string, Migration>> = {
  '0001-foundation': foundation,
  '0002-machines': machines,
  '0003-control': control,
  '0004-applications': applications,
  '0005-mappings': mappings,
  '0007-live': live,
  '0006-mcp': mcp,
  '0008-installation': installation,
  '0009-health': health,
  '0010-placement': placement,
  '0012-node-addresses': nodeAddresses,
  '0013-secret-key': secretKey,
  '0014-audit-chain': auditChain,
  '0015-saved-disks': savedDisks,
  '0016-image-builds': imageBuilds,
  '0017-volumes': volumes,
  '0018-events': events,
  '0019-webhooks': webhooks,
  '0020-lifecycle': lifecycle,
  '0021-warm-images': warmImages,
  '0022-saved-memory': savedMemory,
  '0023-sessions': sessions,
  '0024-timeline': timeline,
  '0025-keys-and-activity': keysAndActivity,
  '0027-control-holder': controlHolder,
  '0028-clusters': clusters,
  '0029-removed-nodes': removedNodes,
  '0030-browsers': browsers,
  '0031-mapping-waits': mappingWaits,
  '0032-build-uploads': buildUploads,
}

/** The names of all migrations of this version, in order. */
export const migrationNames: readonly string[] = Object.keys(migrations).sort()

/**
 * Brings the database up to date. Several processes may call this at once, and one of them does the work.
 *
 * @param last the name of the last migration to run, for tests that need a database of an earlier version
 */
export async function migrate(db: Kysely<Schema>, last?: string): Promise<readonly string[]> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => ({ ...migrations }) } })
  const { error, results = [] } = await (last === undefined
    ? migrator.migrateToLatest()
    : migrator.migrateTo(last))
  if (error) throw error
  return results.map(({ migrationName }) => migrationName)
}
