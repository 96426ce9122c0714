import { ApiError, type OperatorSandbox, type SandboxStatus } from '@sandglass/protocol'
import { sql } from 'kysely'
import type { Database } from '../db/database.ts'
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
  // A Date has only milliseconds, and would skip or repeat a sandbox between two pages.
  const atUs = sql<string>`(extract(epoch FROM created_at) * 1000000)::bigint::text`
  let query = db.selectFrom('sandboxes').selectAll().select(atUs.as('at_us'))
  if (orgId !== undefined) query = query.where('org_id', '=', orgId)
  if (status !== undefined) query = query.where('status', '=', status)
  if (nodeId !== undefined) query = query.where('node_id', '=', nodeId)
  if (cursor !== undefined) {
    const { at, id } = placeOf(cursor)
    query = query.where(
      sql<boolean>`(created_at, id) < (timestamptz 'epoch' + ${at}::bigint * interval '1 microsecond', ${id})`,
    )
  }
  const rows = await query
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute()
  const shown = rows.slice(0, limit)
  const last = rows.length > limit ? shown.at(-1) : undefined
  return {
    sandboxes: shown.map(row => ({ ...sandboxOf(row), orgId: row.org_id, nodeId: row.node_id })),
    next: last && Buffer.from(`${last.at_us} ${last.id}`).toString('base64url'),
  }
}

/** Returns the place at which the page before has ended. */
function placeOf(cursor: string): { readonly at: string; readonly id: string } {
  const [, at, id] = /^(\d{1,18}) ([^\0]+)$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  if (at !== undefined && id !== undefined) return { at, id }
  throw new ApiError('request.INVALID', {
    message: 'The request is not valid: cursor: must be the X-Next-Cursor of an earlier response.',
    fields: { issues: [{ path: 'cursor', message: 'must be the X-Next-Cursor of an earlier response' }] },
  })
}
