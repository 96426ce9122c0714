import { type Kysely, sql } from 'kysely'

/** The secret key is kept outside the database, which has only its id. The next start moves the key of an earlier version. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`ALTER TABLE service_keys ALTER COLUMN secret DROP NOT NULL, ADD COLUMN key_id text`.execute(db)
}
