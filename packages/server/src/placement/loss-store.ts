import { type RawBuilder, sql } from 'kysely'
import type { Database, Tx } from '../db/database.ts'
import { appendControlChange } from '../records/control-events.ts'
import { appendStateChange } from '../records/state-events.ts'

/** The process that checks the leases of the other nodes. */
export interface Watcher {
  readonly nodeId: string
  readonly leaseSeconds: number
}

export interface ExpiredNode {
  readonly id: string
  readonly hostname: string
  readonly seen_at: Date
}

/** A condition on `nodes`: the lease has expired, and the watcher has held its own lease long enough to declare that. */
function isExpired({ nodeId, leaseSeconds }: Watcher): RawBuilder<boolean> {
  return sql<boolean>`nodes.id <> ${nodeId} AND nodes.lost_at IS NULL AND nodes.lease_until < now() AND EXISTS (
    SELECT 1 FROM nodes AS watcher WHERE watcher.id = ${nodeId} AND watcher.lost_at IS NULL
      AND watcher.lease_until > now() AND watcher.leased_since < now() - make_interval(secs => ${leaseSeconds}))`
}

export async function selectExpired(db: Database, watcher: Watcher): Promise<string[]> {
  const rows = await db.selectFrom('nodes').select('id').where(isExpired(watcher)).execute()
  return rows.map(({ id }) => id)
}

/** Returns undefined if another process holds the lock or the lease is no longer expired. */
export async function lockIfExpired(tx: Tx, id: string, watcher: Watcher): Promise<ExpiredNode | undefined> {
  return tx
    .selectFrom('nodes')
    .select(['id', 'hostname', 'seen_at'])
    .where('id', '=', id)
    .where(isExpired(watcher))
    .forNoKeyUpdate()
    .skipLocked()
    .executeTakeFirst()
}

export async function markNodeLost(tx: Tx, id: string): Promise<void> {
  await tx
    .updateTable('nodes')
    .set({ lost_at: sql<Date>`now()`, capacity: null })
    .where('id', '=', id)
    .execute()
}

export interface LostSandbox {
  readonly id: string
  readonly org_id: string
}

/** Sets the sandboxes of a node to ERROR. Those that are in ERROR already keep their own reason. */
export async function markSandboxesLost(tx: Tx, nodeId: string, reason: string): Promise<LostSandbox[]> {
  const lost = await tx
    .updateTable('sandboxes')
    .from(({ selectFrom }) =>
      selectFrom('sandboxes')
        .select(['id', 'control', 'person_called'])
        .where('node_id', '=', nodeId)
        .where('status', '!=', 'ERROR')
        .orderBy('id')
        .forUpdate()
        .as('before'),
    )
    .set({
      before_loss: sql<string>`jsonb_build_object(
        'status', sandboxes.status, 'paused', sandboxes.paused, 'hibernated', sandboxes.hibernated,
        'reason', sandboxes.reason)`,
      status: 'ERROR',
      reason,
      paused: false,
      hibernated: false,
      control: 'agent',
      person_called: false,
      control_by: null,
      control_message: null,
    })
    .whereRef('sandboxes.id', '=', 'before.id')
    .returning([
      'sandboxes.id',
      'sandboxes.org_id',
      'sandboxes.before_loss',
      'before.control',
      'before.person_called',
    ])
    .execute()
  for (const sandbox of lost) {
    const { before_loss: from, control, person_called } = sandbox
    if (!from) continue
    await appendStateChange(tx, {
      sandbox,
      from: { ...from, hibernated: from.hibernated === true },
      to: { status: 'ERROR', paused: false, hibernated: false },
      reason: 'node-lost',
      sentence: reason,
    })
    await appendControlChange(tx, sandbox, { control, person_called }, withAgent, {})
  }
  return lost
}

const withAgent = { control: 'agent', person_called: false } as const
