import { sql } from 'kysely'
import type { Database } from '../db/database.ts'
import { transact } from '../db/transact.ts'
import { type EventPosition, endBelow, eventIdOf } from './position.ts'

/** How many events are removed in one transaction. */
const batch = 5000

/**
 * Removes events that are older than so many days, and the oldest ones if there are more than `max`. It records up to where, so that
 * a reader that was away for longer learns that it has missed some.
 */
export async function removeOldEvents(
  db: Database,
  days: number,
  max = Number.POSITIVE_INFINITY,
): Promise<void> {
  await removeBefore(db, days, Number.isFinite(max) ? await lastBeyond(db, max) : undefined)
}

/** Returns the newest event that is too much if only so many are kept. */
async function lastBeyond(db: Database, max: number): Promise<EventPosition | undefined> {
  const { rows } = await sql<EventPosition>`
    SELECT position, number FROM events ORDER BY position DESC, number DESC OFFSET ${max} LIMIT 1`.execute(db)
  return rows[0]
}

/** The oldest events are at the beginning of the log, so this reads no more than it removes. */
async function removeBefore(db: Database, days: number, last: EventPosition | undefined): Promise<void> {
  const { position, number } = last ?? { position: '-1', number: '-1' }
  const removed = await transact(db, async tx => {
    const { rows } = await sql<{ removed: string }>`
      WITH oldest AS (SELECT position, number, at FROM events ORDER BY position, number LIMIT ${batch}),
      removed AS (
        DELETE FROM events USING oldest
        WHERE events.position = oldest.position AND events.number = oldest.number
          AND (oldest.at < now() - make_interval(days => ${days})
            OR (events.position, events.number) <= (${position}::bigint, ${number}::bigint))
          AND events.position < (SELECT event_horizon())
        RETURNING events.position, events.number
      ), last AS (SELECT position, number FROM removed ORDER BY position DESC, number DESC LIMIT 1),
      marked AS (
        UPDATE event_positions SET removed_position = last.position, removed_number = last.number FROM last
        WHERE (last.position, last.number) > (removed_position, removed_number)
      )
      SELECT count(*) AS removed FROM removed`.execute(tx)
    return Number(rows[0]?.removed ?? 0)
  })
  if (removed === batch) await removeBefore(db, days, last)
}

/**
 * Returns whether a reader that goes on after this id misses nothing. It does if events after it were removed, and if the id is not
 * in the log yet: then the database was set back to an earlier state, and new events would get ids that the reader has passed.
 */
export async function isKept(db: Database, id: string): Promise<boolean> {
  const { rows } = await sql<EventPosition & { horizon: string }>`
    SELECT removed_position AS position, removed_number AS number, event_horizon() AS horizon
    FROM event_positions`.execute(db)
  const [row] = rows
  return row !== undefined && id >= eventIdOf(row) && id <= endBelow(row.horizon)
}
