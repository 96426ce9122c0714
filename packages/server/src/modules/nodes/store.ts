import { hostname } from 'node:os'
import type { ServiceNode } from '@sandglass/protocol'
import { sql } from 'kysely'
import type { Database, Tx } from '../../db/database.ts'

/** This process among those that share the database. */
export interface ThisNode {
  readonly id: string
  readonly version: string
  /** By which the others reach it. */
  readonly url: string
}

/** Enters this process among the nodes; false where its data directory had been entered before. */
export async function enterNode(tx: Tx, { id, version, url }: ThisNode): Promise<boolean> {
  const fresh = {
    hostname: hostname(),
    version,
    url,
    started_at: sql<Date>`now()`,
    seen_at: sql<Date>`now()`,
  }
  const known = await tx
    .updateTable('nodes')
    .set(fresh)
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst()
  if (known) return false
  await tx
    .insertInto('nodes')
    .values({ id, ...fresh })
    .execute()
  return true
}

export async function markSeen(db: Database, id: string): Promise<void> {
  await db.updateTable('nodes').set({ seen_at: sql<Date>`now()` }).where('id', '=', id).execute()
}

export async function selectNodes(db: Database): Promise<ServiceNode[]> {
  const rows = await db.selectFrom('nodes').selectAll().orderBy('started_at').orderBy('id').execute()
  return rows.map(row => ({
    id: row.id,
    hostname: row.hostname,
    version: row.version,
    startedAt: row.started_at.toISOString(),
    seenAt: row.seen_at.toISOString(),
  }))
}
