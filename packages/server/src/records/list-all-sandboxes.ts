import type { OperatorSandbox, SandboxStatus } from '@sandglass/protocol'
import type { Database } from '../db/database.ts'
import { SortedPages } from './sandbox-order.ts'
import { sandboxOf } from './sandboxes.ts'

export interface AllSandboxesQuery {
  readonly orgId?: string | undefined
  readonly status?: SandboxStatus | undefined
  readonly nodeId?: string | undefined
  readonly limit: number
  readonly cursor?: string | undefined
}

/** Lists the sandboxes of all organizations that have not ended, the last one that was created first. */
export async function listAllSandboxes(
  db: Database,
  { orgId, status, nodeId, limit, cursor }: AllSandboxesQuery,
): Promise<{ readonly sandboxes: OperatorSandbox[]; readonly next: string | undefined }> {
  const pages = new SortedPages('-createdAt')
  let query = db
    .selectFrom('sandboxes')
    .selectAll()
    .select(pages.value.as('value'))
    .where(pages.isAfter(cursor))
  if (orgId !== undefined) query = query.where('org_id', '=', orgId)
  if (status !== undefined) query = query.where('status', '=', status)
  if (nodeId !== undefined) query = query.where('node_id', '=', nodeId)
  const rows = await query
    .orderBy(pages.orderBy)
    .limit(limit + 1)
    .execute()
  const shown = rows.slice(0, limit)
  const last = rows.length > limit ? shown.at(-1) : undefined
  return {
    sandboxes: shown.map(row => ({ ...sandboxOf(row), orgId: row.org_id, nodeId: row.node_id })),
    next: last && pages.cursorAfter(last),
  }
}
