import { type Kysely, sql } from 'kysely'

/** Ports inside sandboxes that are reachable by a host name. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `CREATE TABLE http_mappings (
    id text PRIMARY KEY,
    sandbox_id text NOT NULL REFERENCES sandboxes ON DELETE CASCADE,
    target text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (sandbox_id, target)
  )`,

  // Every process may have open connections through a mapping, and closes them when the mapping is deleted.
  `CREATE FUNCTION announce_mapping_end() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN PERFORM pg_notify('mapping_ends', OLD.id); RETURN NULL; END $$`,
  `CREATE TRIGGER announce_end AFTER DELETE ON http_mappings
    FOR EACH ROW EXECUTE FUNCTION announce_mapping_end()`,

  // When the sandbox of a mapping moves or changes its state, every process evicts the mapping's target from its
  // cache.
  `CREATE FUNCTION announce_mapping_moves() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    PERFORM pg_notify('mapping_moves', id) FROM http_mappings WHERE sandbox_id = NEW.id;
    RETURN NULL; END $$`,
  `CREATE TRIGGER announce_mapping_moves AFTER UPDATE OF status, machine_id, node_id ON sandboxes
    FOR EACH ROW EXECUTE FUNCTION announce_mapping_moves()`,
  `CREATE FUNCTION announce_every_mapping() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN PERFORM pg_notify('mapping_moves', '*'); RETURN NULL; END $$`,
  `CREATE TRIGGER announce_mapping_moves AFTER UPDATE OF url ON nodes
    FOR EACH STATEMENT EXECUTE FUNCTION announce_every_mapping()`,
]
