import { ApiError, type Sandbox, type SandboxStatus } from '@sandglass/protocol'
import { sql } from 'kysely'
import type { Actor } from '../auth/principal.ts'
import type { Database } from '../db/database.ts'
import { endedSandboxOf } from './ended-sandboxes.ts'
import { requiredCreator, sandboxOf } from './sandboxes.ts'

export interface SandboxFilter {
  readonly projectId?: string | undefined
  readonly status?: SandboxStatus | undefined
  readonly labels: Readonly<Record<string, string>>
}

export interface PageOfSandboxes {
  readonly sandboxes: Sandbox[]
  /** Undefined if there are no more. */
  readonly next: string | undefined
}

interface Page {
  /** If it is left out, there is one page with everything. */
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
}

/** Lists sandboxes that have not ended, the first one that was created first. */
export async function listSandboxes(
  db: Database,
  member: Actor,
  filter: SandboxFilter,
  { limit, cursor }: Page,
): Promise<PageOfSandboxes> {
  let query = db
    .selectFrom('sandboxes')
    .selectAll()
    .select(microseconds('created_at').as('at_us'))
    .where(matches(member, filter))
  const after = placeOf(cursor)
  if (after) query = query.where(sql<boolean>`(created_at, id) > (${after.at}, ${after.id})`)
  if (limit !== undefined) query = query.limit(limit + 1)
  const rows = await query.orderBy('created_at').orderBy('id').execute()
  return pageOf(rows, limit, row => sandboxOf(row))
}

/** Lists sandboxes that have ended, the last one first. */
export async function listEndedSandboxes(
  db: Database,
  member: Actor,
  filter: SandboxFilter,
  { limit = 100, cursor }: Page,
): Promise<PageOfSandboxes> {
  let query = db
    .selectFrom('ended_sandboxes')
    .selectAll()
    .select(microseconds('ended_at').as('at_us'))
    .where(matches(member, filter))
  const before = placeOf(cursor)
  if (before) query = query.where(sql<boolean>`(ended_at, id) < (${before.at}, ${before.id})`)
  const rows = await query
    .orderBy('ended_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute()
  return pageOf(rows, limit, row => endedSandboxOf(row))
}

/** Both tables have these columns. */
function matches(member: Actor, { projectId, status, labels }: SandboxFilter) {
  const creator = requiredCreator(member) ?? null
  return sql<boolean>`org_id = ${member.organization.id}
    AND (${creator}::text IS NULL OR created_by = ${creator})
    AND (${projectId ?? null}::text IS NULL OR project_id = ${projectId ?? null})
    AND (${status ?? null}::text IS NULL OR status = ${status ?? null})
    AND labels @> ${JSON.stringify(labels)}::jsonb`
}

/** A time as the database has it. A Date has only milliseconds, and would skip or repeat a sandbox between two pages. */
function microseconds(column: 'created_at' | 'ended_at') {
  return sql<string>`(extract(epoch FROM ${sql.ref(column)}) * 1000000)::bigint::text`
}

interface Listed {
  readonly id: string
  readonly at_us: string
}

function pageOf<Row extends Listed>(
  rows: readonly Row[],
  limit: number | undefined,
  toSandbox: (row: Row) => Sandbox,
): PageOfSandboxes {
  const shown = limit === undefined ? rows : rows.slice(0, limit)
  const last = shown.at(-1)
  return {
    sandboxes: shown.map(toSandbox),
    next: last && rows.length > shown.length ? cursorOf(last) : undefined,
  }
}

function cursorOf({ at_us: at, id }: Listed): string {
  return Buffer.from(`${at} ${id}`).toString('base64url')
}

/** Returns the place at which the page before has ended. */
function placeOf(cursor: string | undefined) {
  if (cursor === undefined) return undefined
  const [, at, id] = /^(\d{1,18}) (.+)$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  if (at === undefined || id === undefined)
    throw new ApiError('request.INVALID', {
      message: 'The request is not valid: cursor: must be the X-Next-Cursor of an earlier response.',
      fields: { issues: [{ path: 'cursor', message: 'must be the X-Next-Cursor of an earlier response' }] },
    })
  return { at: sql<Date>`timestamptz 'epoch' + ${at}::bigint * interval '1 microsecond'`, id }
}
