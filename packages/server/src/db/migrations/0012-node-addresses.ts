import { type Kysely, sql } from 'kysely'

/** Processes cache the URLs of the others, and are notified when a node returns with a different one. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `CREATE FUNCTION announce_node_address() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN PERFORM pg_notify('node_addresses', OLD.id); RETURN NULL; END $$`,
  `CREATE TRIGGER announce_move AFTER UPDATE OF url, lost_at ON nodes
    FOR EACH ROW WHEN (OLD.url IS DISTINCT FROM NEW.url OR OLD.lost_at IS DISTINCT FROM NEW.lost_at) EXECUTE FUNCTION announce_node_address()`,
  `CREATE TRIGGER announce_removal AFTER DELETE ON nodes
    FOR EACH ROW EXECUTE FUNCTION announce_node_address()`,
]
