import { type Kysely, sql } from 'kysely'

/** The clusters that a node uses, with their members. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw('ALTER TABLE nodes ADD COLUMN clusters jsonb').execute(db)
}
