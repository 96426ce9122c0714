import { type Kysely, sql } from 'kysely'

/**
 * The health of a running sandbox: what is wrong with it, and what was restarted in it last. Null means that there is
 * nothing to report.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`ALTER TABLE sandboxes ADD COLUMN health jsonb`.execute(db)
}
