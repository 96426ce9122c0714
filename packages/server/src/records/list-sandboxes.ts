import type { Sandbox, SandboxSort, SandboxStatus } from '@sandglass/protocol'
import { type RawBuilder, sql } from 'kysely'
import type { Actor } from '../auth/principal.ts'
import type { Database } from '../db/database.ts'
import { endedSandboxOf } from './ended-sandboxes.ts'
import { SortedPages } from './sandbox-order.ts'
import { requiredCreator, sandboxOf } from './sandboxes.ts'

export interface SandboxFilter {
  readonly projectId?: string | undefined
  readonly status?: SandboxStatus | undefined
  readonly labels: Readonly<Record<string, string>>
  /** A part of the name or the id. */
  readonly search?: string | undefined
}

export interface PageOfSandboxes {
  readonly sandboxes: Sandbox[]
  /** Undefined if there are no more. */
  readonly next: string | undefined
  /** How many there are on all pages. */
  readonly total: number
}

interface Page {
  readonly sort?: SandboxSort | undefined
  /** If it is left out, there is one page with everything. */
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
}

/** Lists sandboxes that have not ended, the first one that was created first unless they are sorted otherwise. */
export async function listSandboxes(
  db: Database,
  member: Actor,
  filter: SandboxFilter,
  { sort = 'createdAt', limit, cursor }: Page,
): Promise<PageOfSandboxes> {
  const pages = new SortedPages(sort)
  const matching = matches(member, filter)
  let query = db
    .selectFrom('sandboxes')
    .selectAll()
    .select(pages.value.as('sorted_by'))
    .where(matching)
    .where(pages.isAfter(cursor))
    .orderBy(pages.orderBy)
  if (limit !== undefined) query = query.limit(limit + 1)
  const rows = await query.execute()
  const count = () => countOf(db, 'sandboxes', matching)
  return pageOf(rows, { pages, limit, cursor, count }, row => sandboxOf(row))
}

/** Lists sandboxes that have ended, the last one first unless they are sorted otherwise. */
export async function listEndedSandboxes(
  db: Database,
  member: Actor,
  filter: SandboxFilter,
  { sort, limit = 100, cursor }: Page,
): Promise<PageOfSandboxes> {
  const pages = new SortedPages(sort ?? '-endedAt')
  const matching = matches(member, filter)
  const rows = await db
    .selectFrom('ended_sandboxes')
    .selectAll()
    .select(pages.value.as('sorted_by'))
    .where(matching)
    .where(pages.isAfter(cursor))
    .orderBy(pages.orderBy)
    .limit(limit + 1)
    .execute()
  const count = () => countOf(db, 'ended_sandboxes', matching)
  return pageOf(rows, { pages, limit, cursor, count }, row => endedSandboxOf(row))
}

/** Both tables have these columns. */
function matches(member: Actor, { projectId, status, labels, search }: SandboxFilter): RawBuilder<boolean> {
  const creator = requiredCreator(member) ?? null
  const text = search ?? null
  return sql<boolean>`org_id = ${member.organization.id}
    AND (${creator}::text IS NULL OR created_by = ${creator})
    AND (${projectId ?? null}::text IS NULL OR project_id = ${projectId ?? null})
    AND (${status ?? null}::text IS NULL OR status = ${status ?? null})
    AND (${text}::text IS NULL OR strpos(lower(name), lower(${text})) > 0 OR strpos(lower(id), lower(${text})) > 0)
    AND labels @> ${JSON.stringify(labels)}::jsonb`
}

async function countOf(
  db: Database,
  table: 'sandboxes' | 'ended_sandboxes',
  matching: RawBuilder<boolean>,
): Promise<number> {
  const { count } = await db
    .selectFrom(table)
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .where(matching)
    .executeTakeFirstOrThrow()
  return Number(count)
}

interface Listed {
  readonly id: string
  readonly sorted_by: string
}

interface Listing {
  readonly pages: SortedPages
  readonly limit: number | undefined
  readonly cursor: string | undefined
  readonly count: () => Promise<number>
}

async function pageOf<Row extends Listed>(
  rows: readonly Row[],
  { pages, limit, cursor, count }: Listing,
  toSandbox: (row: Row) => Sandbox,
): Promise<PageOfSandboxes> {
  const shown = limit === undefined ? rows : rows.slice(0, limit)
  const last = shown.at(-1)
  const hasMore = rows.length > shown.length
  return {
    sandboxes: shown.map(toSandbox),
    next: last && hasMore ? pages.cursorAfter({ value: last.sorted_by, id: last.id }) : undefined,
    total: hasMore || cursor !== undefined ? await count() : shown.length,
  }
}
