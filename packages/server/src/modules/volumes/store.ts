import type { Volume } from '@sandglass/protocol'
import { sql } from 'kysely'
import type { Database, Tx } from '../../db/database.ts'
import type { VolumeRow } from '../../records/volumes.ts'

const statusOf = { creating: 'CREATING', ready: 'READY', missing: 'ERROR', doomed: 'ERROR' } as const

/** Returns the volumes of an organization with these names, without those that are being deleted. */
export async function selectVolumes(
  db: Database | Tx,
  orgId: string,
  names?: readonly string[],
): Promise<VolumeRow[]> {
  return volumesOf(db, orgId, names).orderBy('created_at').orderBy('id').execute()
}

/** Does the same, and locks them in an order in which two transactions do not block each other. */
export async function lockVolumes(tx: Tx, orgId: string, names: readonly string[]): Promise<VolumeRow[]> {
  return volumesOf(tx, orgId, names).orderBy('id').forUpdate().execute()
}

function volumesOf(db: Database | Tx, orgId: string, names?: readonly string[]) {
  const all = db.selectFrom('volumes').selectAll().where('org_id', '=', orgId).where('state', '!=', 'doomed')
  return names ? all.where('name', 'in', names) : all
}

export async function lockVolume(tx: Tx, orgId: string, id: string): Promise<VolumeRow | undefined> {
  return volumesOf(tx, orgId).where('id', '=', id).forUpdate().executeTakeFirst()
}

export interface VolumeTotals {
  readonly count: number
  readonly sizeMiB: number
}

export async function sumVolumes(tx: Tx, orgId: string): Promise<VolumeTotals> {
  const { count, size } = await tx
    .selectFrom('volumes')
    .select([sql<string>`count(*)`.as('count'), sql<string>`coalesce(sum(size_mib), 0)`.as('size')])
    .where('org_id', '=', orgId)
    .where('state', '!=', 'doomed')
    .executeTakeFirstOrThrow()
  return { count: Number(count), sizeMiB: Number(size) }
}

/** Adds to volumes which sandboxes have them. */
export async function volumesWithUsers(db: Database | Tx, rows: readonly VolumeRow[]): Promise<Volume[]> {
  if (rows.length === 0) return []
  const users = await db
    .selectFrom('volume_mounts as mount')
    .innerJoin('sandboxes as sandbox', 'sandbox.machine_id', 'mount.machine_id')
    .select(['mount.volume_id', 'mount.path', 'mount.read_only', 'sandbox.id'])
    .where(
      'mount.volume_id',
      'in',
      rows.map(({ id }) => id),
    )
    .orderBy('sandbox.created_at')
    .execute()
  return rows.map(row => ({
    id: row.id,
    name: row.name,
    sizeMiB: row.size_mib,
    ...(row.used_mib !== null && { usedMiB: row.used_mib }),
    status: statusOf[row.state],
    ...(row.reason !== null && { reason: row.reason }),
    createdAt: row.created_at.toISOString(),
    nodeId: row.node_id,
    sandboxes: users
      .filter(({ volume_id: id }) => id === row.id)
      .map(({ id, path, read_only: readOnly }) => ({ sandboxId: id, path, readOnly })),
  }))
}
