import type { Usage } from '@sandglass/protocol'
import { type RawBuilder, sql } from 'kysely'
import type { Database, Tx } from '../db/database.ts'

export interface BilledSandbox {
  readonly id: string
  readonly org_id: string
  readonly project_id: string
  readonly shape_name: string
  readonly price_per_hour: number
}

/** Starts to bill a sandbox that is RUNNING from now on. If a span is already open, it continues. */
export async function openSpan(tx: Tx, sandbox: BilledSandbox): Promise<void> {
  await tx
    .insertInto('usage_spans')
    .values({
      org_id: sandbox.org_id,
      project_id: sandbox.project_id,
      sandbox_id: sandbox.id,
      shape_name: sandbox.shape_name,
      price_per_hour: sandbox.price_per_hour,
    })
    .onConflict(conflict => conflict.doNothing())
    .execute()
}

/** Ends the open span of a sandbox that is no longer RUNNING. The end is never before the start. */
export async function closeSpan(tx: Tx, sandboxId: string, at: RawBuilder<Date>): Promise<void> {
  await tx
    .updateTable('usage_spans')
    .set({ ended_at: sql<Date>`greatest(started_at, ${at})` })
    .where('sandbox_id', '=', sandboxId)
    .where('ended_at', 'is', null)
    .execute()
}

/** Ends the open spans of a lost node. Its sandboxes are billed until the node was last seen. */
export async function closeSpansOfNode(tx: Tx, nodeId: string): Promise<void> {
  await sql`UPDATE usage_spans AS span SET ended_at = greatest(span.started_at, least(node.seen_at, sandbox.expires_at))
    FROM sandboxes AS sandbox JOIN nodes AS node ON node.id = sandbox.node_id
    WHERE node.id = ${nodeId} AND span.sandbox_id = sandbox.id AND span.ended_at IS NULL`.execute(tx)
}

export interface UsageFilter {
  readonly from?: string | undefined
  readonly to?: string | undefined
  readonly projectId?: string | undefined
  readonly sandboxId?: string | undefined
}

/** Splits spans at midnight UTC, and adds them up by day, project and shape. */
export async function selectUsage(db: Database, orgId: string, filter: UsageFilter): Promise<Usage[]> {
  const from = sql`coalesce(${filter.from ?? null}::date, (now() AT TIME ZONE 'UTC')::date - 30)`
  const to = sql`coalesce(${filter.to ?? null}::date, (now() AT TIME ZONE 'UTC')::date)`
  const { rows } = await sql<Usage>`
    WITH spans AS (
      SELECT project_id, shape_name, price_per_hour, started_at AT TIME ZONE 'UTC' AS started,
        coalesce(ended_at, now()) AT TIME ZONE 'UTC' AS ended
      FROM usage_spans
      WHERE org_id = ${orgId}
        AND (${filter.projectId ?? null}::text IS NULL OR project_id = ${filter.projectId ?? null})
        AND (${filter.sandboxId ?? null}::text IS NULL OR sandbox_id = ${filter.sandboxId ?? null})
    ), days AS (
      SELECT day::date AS day, project_id, shape_name, price_per_hour,
        extract(epoch FROM least(ended, day + interval '1 day') - greatest(started, day)) AS seconds
      FROM spans, generate_series(
        greatest(date_trunc('day', started), ${from}::timestamp), least(ended, ${to}::timestamp), interval '1 day') AS day
    )
    SELECT to_char(day, 'YYYY-MM-DD') AS day, project_id AS "projectId", shape_name AS "shapeName",
      sum(seconds)::float8 AS seconds, sum(seconds * price_per_hour)::float8 AS "billedSeconds"
    FROM days WHERE seconds > 0
    GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`.execute(db)
  return rows
}
