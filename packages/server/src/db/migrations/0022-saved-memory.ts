import { type Kysely, sql } from 'kysely'

/** Whether the memory of the machine was saved together with its disk. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw('ALTER TABLE saved_disks ADD COLUMN memory boolean NOT NULL DEFAULT false').execute(db)
}
