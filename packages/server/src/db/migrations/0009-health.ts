import { type Kysely, sql } from 'kysely'

/** What is wrong with a sandbox that runs, and what was restarted in it last; null where there is nothing to say. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`ALTER TABLE sandboxes ADD COLUMN health jsonb`.execute(db)
}
