import { type Kysely, sql } from 'kysely'

/** Records who controls a sandbox: the agent, or a person whom it asked to take over. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`ALTER TABLE sandboxes ADD COLUMN control text NOT NULL DEFAULT 'agent'`.execute(db)
}
