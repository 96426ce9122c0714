import { type Kysely, sql } from 'kysely'

/** The nodes that operators have removed, with the last machine number of each, so that others recognize what they left in a cluster. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql
    .raw('CREATE TABLE removed_nodes (id text PRIMARY KEY, last_machine_number bigint NOT NULL)')
    .execute(db)
}
