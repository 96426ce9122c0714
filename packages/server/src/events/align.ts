import { sql } from 'kysely'
import type { Database, Tx } from '../db/database.ts'
import { transact } from '../db/transact.ts'

/**
 * Makes sure that new events come after all that the log contains. That is not so after the database was restored into another
 * PostgreSQL, whose transaction ids are lower; they are shifted then. Runs before the first event of a process, and whenever it
 * has connected again. Returns whether a shift was necessary.
 */
export function alignPositions(db: Database): Promise<boolean> {
  return transact(db, alignWithin)
}

/** Does the same as a part of a transaction, before its first event. */
export async function alignWithin(tx: Tx): Promise<boolean> {
  // Processes that start at the same time wait for each other here, and only the first one shifts.
  await sql`SELECT 1 FROM event_positions FOR UPDATE`.execute(tx)
  // An event that can be seen was committed by a finished transaction. If its id is not below that of all unfinished ones,
  // it is an id of another PostgreSQL.
  const { numAffectedRows } = await sql`
      UPDATE event_positions SET shift = last.position + 1
      FROM (SELECT position FROM events ORDER BY position DESC LIMIT 1) AS last
      WHERE last.position >= shift + pg_snapshot_xmax(pg_current_snapshot())::text::bigint`.execute(tx)
  return numAffectedRows === 1n
}
