import { sql } from 'kysely'
import type { Database, Tx } from '../db/database.ts'
import { endFromNow, inSeconds, lastEnd } from './life-clock.ts'
import type { SandboxRow } from './sandboxes.ts'

/** How long a sandbox that is just being started may run beyond its end, so that it can be paused. */
const startSeconds = 5

/** A running sandbox is idle only if nothing works in it, and only the node that has its machine can find that out. */
const isUpToNode = sql<boolean>`status = 'RUNNING' AND node_id IS NOT NULL`

/** Its time is up, and the rule is to pause it then. */
const isToBePaused = sql<boolean>`(expires_at <= now() AND on_timeout = 'pause' AND NOT kept AND ${lastEnd} > now())`

/** Locks sandboxes that are to be deleted now, and skips those that another process is ending. */
export async function lockEnded(tx: Tx, max: number): Promise<(SandboxRow & { is_over: boolean })[]> {
  return tx
    .selectFrom('sandboxes')
    .selectAll()
    .select(sql<boolean>`expires_at <= now()`.as('is_over'))
    .where(sql<boolean>`least(expires_at, idle_at) <= now()`)
    .where(
      sql<boolean>`(expires_at <= now() AND NOT ${isToBePaused})
        OR (idle_at <= now() AND on_idle = 'delete' AND NOT (${isUpToNode}))`,
    )
    .limit(max)
    .forUpdate()
    .skipLocked()
    .execute()
}

/**
 * Keeps sandboxes that are not running when they are to be paused: one that has stopped is kept as it is, and one that is
 * just being started is paused a little later.
 */
export async function keepStopped(db: Database, keepSeconds: number): Promise<void> {
  const isIdle = sql<boolean>`(on_idle = 'pause' AND idle_at <= now())`
  await db
    .updateTable('sandboxes')
    .set({
      kept: sql<boolean>`kept OR (${isToBePaused} AND status <> 'PENDING')`,
      expires_at: sql<Date>`CASE WHEN NOT ${isToBePaused} THEN expires_at
        WHEN status = 'PENDING' THEN ${inSeconds(startSeconds)} ELSE ${endFromNow(keepSeconds)} END`,
      idle_at: sql<Date | null>`CASE WHEN NOT coalesce(${isIdle}, false) THEN idle_at
        WHEN status = 'PENDING' THEN ${inSeconds(sql.ref('idle_seconds'))} END`,
    })
    .where(sql<boolean>`least(expires_at, idle_at) <= now()`)
    .where('status', '!=', 'RUNNING')
    .where(sql<boolean>`(${isToBePaused} OR ${isIdle})`)
    .execute()
}

/** Returns the earliest end of a sandbox that does not wait for its node. */
export async function nextEnd(db: Database): Promise<Date | undefined> {
  const end = sql<Date>`least(expires_at, idle_at)`
  const row = await db
    .selectFrom('sandboxes')
    .select(end.as('end'))
    .where(
      sql<boolean>`NOT (${isUpToNode} AND (coalesce(idle_at <= expires_at, false) OR (on_timeout = 'pause' AND NOT kept)))`,
    )
    .orderBy(end)
    .limit(1)
    .executeTakeFirst()
  return row?.end
}

/** A running sandbox of a node whose rules say that something is to be done, or to be observed, now. */
export interface DueSandbox {
  readonly row: SandboxRow
  /** Its time is up, and it is to be paused. */
  readonly isOver: boolean
  /** It has been idle for long enough, if nothing works in it. */
  readonly isIdle: boolean
}

export async function selectDue(db: Database, nodeId: string): Promise<DueSandbox[]> {
  const rows = await db
    .selectFrom('sandboxes')
    .selectAll()
    .select([isToBePaused.as('is_over'), sql<boolean>`coalesce(idle_at <= now(), false)`.as('is_idle')])
    .where('node_id', '=', nodeId)
    .where('status', '=', 'RUNNING')
    .where(sql<boolean>`(${isToBePaused} OR idle_check_at(idle_at, idle_seconds) <= now())`)
    .execute()
  return rows.map(({ is_over: isOver, is_idle: isIdle, ...row }) => ({ row, isOver, isIdle }))
}

/** Returns when the next sandbox of a node is due. */
export async function nextDue(db: Database, nodeId: string): Promise<Date | undefined> {
  const { due } = await db
    .selectFrom('sandboxes')
    .select(
      sql<Date | null>`least(
        min(expires_at) FILTER (WHERE expires_at > now() AND on_timeout = 'pause' AND NOT kept),
        min(idle_at) FILTER (WHERE idle_check_at(idle_at, idle_seconds) <= now() AND idle_at > now()),
        min(idle_check_at(idle_at, idle_seconds)) FILTER (WHERE idle_check_at(idle_at, idle_seconds) > now()))`.as(
        'due',
      ),
    )
    .where('node_id', '=', nodeId)
    .where('status', '=', 'RUNNING')
    .executeTakeFirstOrThrow()
  return due ?? undefined
}

/** Lets a sandbox that is due be idle at the earliest after these seconds. Returns undefined if it is not due any more. */
export async function postponeIdle(
  db: Database,
  id: string,
  seconds: number,
): Promise<SandboxRow | undefined> {
  return db
    .updateTable('sandboxes')
    .set({ idle_at: inSeconds(seconds) })
    .where('id', '=', id)
    .where('idle_at', '<=', sql<Date>`now()`)
    .returningAll()
    .executeTakeFirst()
}
