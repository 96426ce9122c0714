import { type Kysely, sql } from 'kysely'

/** Increasing the epoch of a sandbox revokes the URLs of its browser. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw('ALTER TABLE sandboxes ADD COLUMN browser_epoch integer NOT NULL DEFAULT 0').execute(db)
}
