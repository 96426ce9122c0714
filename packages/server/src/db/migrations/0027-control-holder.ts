import { type Kysely, sql } from 'kysely'

/** The name of the person who has control of a sandbox, and what the agent asked a person for. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql
    .raw('ALTER TABLE sandboxes ADD COLUMN control_by text, ADD COLUMN control_message text')
    .execute(db)
}
