import { randomUUID } from 'node:crypto'
import type { Snapshot } from '@sandglass/protocol'
import type { Database, Tx } from '../../db/database.ts'
import { appendEvent } from '../../events/append.ts'
import { appendSnapshotEvents } from '../../records/disk-events.ts'
import type { SandboxRow } from '../../records/sandboxes.ts'

export type SnapshotRow = NonNullable<Awaited<ReturnType<typeof selectSnapshot>>>

export async function insertSnapshot(
  tx: Tx,
  { id: sandboxId, org_id }: SandboxRow,
  name: string,
  diskId: string,
): Promise<string> {
  const id = randomUUID()
  await tx
    .insertInto('sandbox_snapshots')
    .values({ id, org_id, sandbox_id: sandboxId, name, disk_id: diskId })
    .execute()
  await appendEvent(tx, {
    orgId: org_id,
    type: 'snapshot.created',
    subject: sandboxId,
    data: { snapshotId: id, name },
  })
  return id
}

export async function selectSnapshot(db: Database | Tx, sandboxId: string, id: string) {
  return snapshotsOf(db, sandboxId).where('snapshot.id', '=', id).executeTakeFirst()
}

export async function selectSnapshots(db: Database, sandboxId: string): Promise<SnapshotRow[]> {
  return snapshotsOf(db, sandboxId).orderBy('snapshot.created_at').orderBy('snapshot.id').execute()
}

function snapshotsOf(db: Database | Tx, sandboxId: string) {
  return db
    .selectFrom('sandbox_snapshots as snapshot')
    .leftJoin('saved_disks as disk', 'disk.id', 'snapshot.disk_id')
    .selectAll('snapshot')
    .select(['disk.size_mib', 'disk.memory'])
    .where('snapshot.sandbox_id', '=', sandboxId)
}

/** Counts the snapshots of an organization, except for those in ERROR. */
export async function countSnapshots(db: Database | Tx, orgId: string): Promise<number> {
  const { count } = await db
    .selectFrom('sandbox_snapshots')
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .where('org_id', '=', orgId)
    .where('status', '!=', 'ERROR')
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Deletes a snapshot. The database dooms its disk. Returns false if there is none. */
export async function deleteSnapshotRow(tx: Tx, sandboxId: string, id: string): Promise<boolean> {
  const deleted = await tx
    .deleteFrom('sandbox_snapshots')
    .where('sandbox_id', '=', sandboxId)
    .where('id', '=', id)
    .returning(['id', 'org_id', 'sandbox_id'])
    .execute()
  await appendSnapshotEvents(tx, 'snapshot.deleted', deleted)
  return deleted.length > 0
}

export function snapshotOf(row: SnapshotRow): Snapshot {
  return {
    id: row.id,
    sandboxId: row.sandbox_id,
    name: row.name,
    createdAt: row.created_at.toISOString(),
    status: row.status,
    memory: row.memory === true,
    ...(row.reason !== null && { reason: row.reason }),
    ...(row.status === 'READY' && row.size_mib !== null && { sizeMiB: row.size_mib }),
  }
}
