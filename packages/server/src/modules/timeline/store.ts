import type { TimelineQuery } from '@sandglass/protocol'
import { type Insertable, type Selectable, sql } from 'kysely'
import type { Database, Prepared } from '../../db/database.ts'
import type { SandboxActionTable } from '../../db/schema.ts'

export type ActionRow = Selectable<SandboxActionTable>
export type NewAction = Insertable<SandboxActionTable>

const columns = {
  org_id: 'text',
  sandbox_id: 'text',
  at: 'timestamptz',
  actor_kind: 'text',
  actor_id: 'text',
  source: 'text',
  type: 'text',
  action: 'json',
  duration_ms: 'integer',
  outcome: 'text',
  screenshot: 'text',
} as const satisfies Record<keyof NewAction, string>
const names = Object.keys(columns) as (keyof NewAction)[]

const insertMany = `INSERT INTO sandbox_actions (${names.join(', ')})
  SELECT * FROM unnest(${names.map((name, i) => `$${i + 1}::${columns[name]}[]`).join(', ')})`

/** Writes any number of actions with one prepared statement, which is planned only once. */
export async function insertActions(prepared: Prepared, actions: readonly NewAction[]): Promise<void> {
  await prepared('insert-actions', insertMany, ...names.map(name => actions.map(action => action[name])))
}

export async function selectActions(
  db: Database,
  { orgId, sandboxId }: { readonly orgId: string; readonly sandboxId: string },
  { order, limit, cursor }: TimelineQuery,
): Promise<ActionRow[]> {
  const isNewest = order === 'newest'
  let query = db
    .selectFrom('sandbox_actions')
    .selectAll()
    .where('sandbox_id', '=', sandboxId)
    .where('org_id', '=', orgId)
    .orderBy('number', isNewest ? 'desc' : 'asc')
    .limit(limit)
  if (cursor !== undefined) query = query.where('number', isNewest ? '<' : '>', cursor)
  return query.execute()
}

/** Removes the oldest actions of a sandbox, so that this many are left. */
export async function trimActions(db: Database, sandboxId: string, kept: number): Promise<void> {
  await sql`DELETE FROM sandbox_actions WHERE sandbox_id = ${sandboxId} AND number <= (
    SELECT number FROM sandbox_actions WHERE sandbox_id = ${sandboxId} ORDER BY number DESC LIMIT 1 OFFSET ${kept}
  )`.execute(db)
}

/** How many actions are removed in one transaction. */
const batch = 5000

/** Removes actions that are older than so many days, and the oldest ones if there are more than `max` in all. */
export async function removeOldActions(
  db: Database,
  days: number,
  max = Number.POSITIVE_INFINITY,
): Promise<void> {
  await removeUpTo(db, days, Number.isFinite(max) ? await lastBeyond(db, max) : '-1')
}

/** Returns the number of the newest action that is too much if only so many are kept. */
async function lastBeyond(db: Database, max: number): Promise<string> {
  const { rows } = await sql<{ number: string }>`
    SELECT number FROM sandbox_actions ORDER BY number DESC OFFSET ${max} LIMIT 1`.execute(db)
  return rows[0]?.number ?? '-1'
}

/** The oldest have the lowest numbers, so this reads no more than it removes. */
async function removeUpTo(db: Database, days: number, last: string): Promise<void> {
  const { numAffectedRows = 0n } = await sql`
    WITH oldest AS (SELECT number, at FROM sandbox_actions ORDER BY number LIMIT ${batch})
    DELETE FROM sandbox_actions USING oldest
    WHERE sandbox_actions.number = oldest.number
      AND (oldest.at < now() - make_interval(days => ${days}) OR oldest.number <= ${last}::bigint)`.execute(
    db,
  )
  if (Number(numAffectedRows) === batch) await removeUpTo(db, days, last)
}
