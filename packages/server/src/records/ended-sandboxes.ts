import type { EndReason, Sandbox } from '@sandglass/protocol'
import { type Selectable, sql } from 'kysely'
import type { Database, Tx } from '../db/database.ts'
import type { EndedSandboxTable } from '../db/schema.ts'
import { type SandboxRow, shownOf } from './sandboxes.ts'

export type EndedSandboxRow = Selectable<EndedSandboxTable>

/** Keeps what can be listed of a sandbox that ends in this transaction. */
export async function insertEnded(tx: Tx, sandbox: SandboxRow, reason: EndReason): Promise<void> {
  await tx
    .insertInto('ended_sandboxes')
    .values({
      id: sandbox.id,
      org_id: sandbox.org_id,
      project_id: sandbox.project_id,
      name: sandbox.name,
      shape_name: sandbox.shape_name,
      status: sandbox.status,
      reason: sandbox.reason,
      labels: JSON.stringify(sandbox.labels),
      created_by: sandbox.created_by,
      created_at: sandbox.created_at,
      expires_at: sandbox.expires_at,
      end_reason: reason,
    })
    .execute()
}

export async function forgetEnded(db: Database, olderThanDays: number): Promise<void> {
  await db
    .deleteFrom('ended_sandboxes')
    .where('ended_at', '<', sql<Date>`now() - make_interval(secs => ${olderThanDays * 86_400})`)
    .execute()
}

export function endedSandboxOf(row: EndedSandboxRow): Sandbox {
  return {
    ...shownOf(row),
    control: 'agent',
    ended: { at: row.ended_at.toISOString(), reason: row.end_reason },
  }
}
