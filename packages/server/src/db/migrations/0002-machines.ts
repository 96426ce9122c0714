import { type Kysely, sql } from 'kysely'

/** Machines, the sandboxes that run on them, and their usage. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `ALTER TABLE nodes ADD COLUMN url text`,
  `CREATE TABLE machines (
    id text PRIMARY KEY,
    node_id text NOT NULL REFERENCES nodes,
    engine text NOT NULL,
    shape_name text NOT NULL,
    spec jsonb NOT NULL,
    handle jsonb,
    state text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
  )`,
  `CREATE INDEX machines_of_node ON machines (node_id, state, shape_name)`,
  `ALTER TABLE sandboxes
    ADD COLUMN machine_id text UNIQUE REFERENCES machines ON DELETE SET NULL,
    ADD COLUMN node_id text REFERENCES nodes,
    ADD COLUMN created_by text NOT NULL DEFAULT 'service',
    ADD COLUMN price_per_hour double precision NOT NULL DEFAULT 1,
    ADD COLUMN labels jsonb NOT NULL DEFAULT '{}',
    ADD COLUMN idle_seconds integer,
    ADD COLUMN idle_at timestamptz,
    ADD COLUMN reason text,
    ADD COLUMN paused boolean NOT NULL DEFAULT false`,
  `CREATE INDEX sandboxes_by_end ON sandboxes (least(expires_at, idle_at))`,
  `CREATE TABLE usage_spans (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    org_id text NOT NULL,
    project_id text NOT NULL,
    sandbox_id text NOT NULL,
    shape_name text NOT NULL,
    price_per_hour double precision NOT NULL,
    started_at timestamptz NOT NULL DEFAULT now(),
    ended_at timestamptz
  )`,
  `CREATE UNIQUE INDEX one_open_span ON usage_spans (sandbox_id) WHERE ended_at IS NULL`,
  `CREATE INDEX usage_spans_of_org ON usage_spans (org_id, started_at)`,
  `CREATE TABLE service_keys (name text PRIMARY KEY, secret bytea NOT NULL)`,

  // Every process learns when the next sandbox ends, whichever process created it.
  `CREATE FUNCTION announce_end() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    PERFORM pg_notify('sandbox_ends', floor(extract(epoch FROM least(NEW.expires_at, NEW.idle_at)) * 1000)::text);
    RETURN NULL; END $$`,
  `CREATE TRIGGER announce_end AFTER INSERT OR UPDATE OF expires_at, idle_at ON sandboxes
    FOR EACH ROW EXECUTE FUNCTION announce_end()`,

  // The node of a machine is notified that the machine must be destroyed.
  `CREATE FUNCTION announce_doom() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN PERFORM pg_notify('doomed_machines', NEW.node_id); RETURN NULL; END $$`,
  `CREATE TRIGGER announce_doom AFTER UPDATE OF state ON machines
    FOR EACH ROW WHEN (NEW.state = 'doomed') EXECUTE FUNCTION announce_doom()`,
]
