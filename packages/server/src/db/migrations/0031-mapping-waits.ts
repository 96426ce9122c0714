import { type Kysely, sql } from 'kysely'

/** How long a mapping waits for the first byte of a response. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  'ALTER TABLE http_mappings ADD COLUMN wait_seconds int',
  // Every process has the mapping in its cache, with the time that it waits.
  `CREATE FUNCTION announce_mapping_change() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN PERFORM pg_notify('mapping_moves', NEW.id); RETURN NULL; END $$`,
  `CREATE TRIGGER announce_change AFTER UPDATE OF wait_seconds ON http_mappings
    FOR EACH ROW EXECUTE FUNCTION announce_mapping_change()`,
]
