import { ApiError, type OperatorVolume, type Volume } from '@sandglass/protocol'
import { type NotNull, sql } from 'kysely'
import type { Database, Tx } from '../../db/database.ts'
import { selectMounts } from '../../records/volume-mounts.ts'
import { doomVolume, type VolumeRow } from '../../records/volumes.ts'

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

function volumes(db: Database | Tx) {
  return db.selectFrom('volumes').selectAll().where('state', '!=', 'doomed')
}

function volumesOf(db: Database | Tx, orgId: string, names?: readonly string[]) {
  const all = volumes(db).where('org_id', '=', orgId)
  return names ? all.where('name', 'in', names) : all
}

/** Dooms a volume, of one organization if it is given. Throws if there is none, or if a sandbox has it. */
export async function deleteVolume(tx: Tx, id: string, orgId?: string): Promise<void> {
  const found = orgId === undefined ? volumes(tx) : volumesOf(tx, orgId)
  const volume = await found.where('id', '=', id).forUpdate().executeTakeFirst()
  if (!volume) throw new ApiError('volume.NOT_FOUND')
  if ((await selectMounts(tx, id)).length > 0) throw new ApiError('volume.IN_USE')
  await doomVolume(tx, id)
}

export interface VolumeTotals {
  readonly count: number
  readonly sizeMiB: number
}

export async function sumVolumes(db: Database | Tx, orgId: string): Promise<VolumeTotals> {
  const { count, size } = await db
    .selectFrom('volumes')
    .select([sql<string>`count(*)`.as('count'), sql<string>`coalesce(sum(size_mib), 0)`.as('size')])
    .where('org_id', '=', orgId)
    .where('state', '!=', 'doomed')
    .executeTakeFirstOrThrow()
  return { count: Number(count), sizeMiB: Number(size) }
}

/** Adds to volumes which sandboxes have them. */
export async function volumesWithUsers(db: Database | Tx, rows: readonly VolumeRow[]): Promise<Volume[]> {
  const users = await selectUsers(db, rows)
  return rows.map(row => volumeOf(row, users))
}

/** Returns the volumes of all organizations as the operator sees them, without those that are being deleted. */
export async function selectAllVolumes(db: Database): Promise<OperatorVolume[]> {
  const rows = await volumes(db)
    .where('org_id', 'is not', null)
    .$narrowType<{ org_id: NotNull }>()
    .orderBy('created_at')
    .orderBy('id')
    .execute()
  const users = await selectUsers(db, rows)
  return rows.map(row => ({ ...volumeOf(row, users), organizationId: row.org_id }))
}

interface VolumeUser {
  readonly id: string
  readonly volume_id: string
  readonly path: string
  readonly read_only: boolean
}

async function selectUsers(db: Database | Tx, rows: readonly VolumeRow[]): Promise<VolumeUser[]> {
  if (rows.length === 0) return []
  return db
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
}

function volumeOf(row: VolumeRow, users: readonly VolumeUser[]): Volume {
  return {
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
  }
}
