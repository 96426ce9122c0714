import { type Kysely, sql } from 'kysely'

/** Leases, capacity and draining of nodes, and the state of sandboxes before their node was lost. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  // A process of an earlier version renews no lease, so it gets a day in which to be replaced.
  `ALTER TABLE nodes
    ADD COLUMN lease_until timestamptz NOT NULL DEFAULT now() + interval '1 day',
    ADD COLUMN leased_since timestamptz NOT NULL DEFAULT now(),
    ADD COLUMN lost_at timestamptz,
    ADD COLUMN draining_since timestamptz,
    ADD COLUMN capacity jsonb`,
  `ALTER TABLE sandboxes ADD COLUMN before_loss jsonb`,
  `CREATE INDEX sandboxes_of_node ON sandboxes (node_id)`,

  // A node that is drained, undrained or removed acts on it at once rather than at its next heartbeat.
  `CREATE FUNCTION announce_node() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    PERFORM pg_notify('node_changes', OLD.id || ' ' || CASE
      WHEN TG_OP = 'DELETE' THEN 'removed' WHEN NEW.draining_since IS NULL THEN 'undrained' ELSE 'drained' END);
    RETURN NULL; END $$`,
  `CREATE TRIGGER announce_node AFTER UPDATE OF draining_since OR DELETE ON nodes
    FOR EACH ROW EXECUTE FUNCTION announce_node()`,
]
