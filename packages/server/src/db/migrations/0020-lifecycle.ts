import { type Kysely, sql } from 'kysely'

/** What happens to sandboxes when their time is up and when they are idle, and the sandboxes that have ended. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const rules = 'on_timeout, on_idle, auto_resume, idle_seconds'

const statements = [
  `ALTER TABLE sandboxes
    ADD COLUMN on_timeout text NOT NULL DEFAULT 'delete',
    ADD COLUMN on_idle text NOT NULL DEFAULT 'delete',
    ADD COLUMN auto_resume boolean NOT NULL DEFAULT false,
    ADD COLUMN life_seconds integer NOT NULL DEFAULT 3600,
    ADD COLUMN kept boolean NOT NULL DEFAULT false`,
  `UPDATE sandboxes SET life_seconds = greatest(1, round(extract(epoch FROM expires_at - created_at)))`,

  `CREATE TABLE ended_sandboxes (
    id text PRIMARY KEY,
    org_id text NOT NULL REFERENCES organizations ON DELETE CASCADE,
    project_id text NOT NULL,
    name text NOT NULL,
    shape_name text NOT NULL,
    status text NOT NULL,
    reason text,
    labels jsonb NOT NULL,
    created_by text NOT NULL,
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    ended_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    end_reason text NOT NULL
  )`,
  `CREATE INDEX ended_sandboxes_of_org ON ended_sandboxes (org_id, ended_at, id)`,
  `CREATE INDEX ended_sandboxes_by_end ON ended_sandboxes (ended_at)`,

  // The node of a sandbox looks at what works in it for the last part of its idle time, and at most for half a minute.
  `CREATE FUNCTION idle_check_at(idle_at timestamptz, idle_seconds integer) RETURNS timestamptz LANGUAGE sql STABLE AS
    $$ SELECT idle_at - make_interval(secs => least(30, idle_seconds / 2.0)) $$`,
  `CREATE OR REPLACE FUNCTION announce_end() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    PERFORM pg_notify('sandbox_ends', floor(extract(epoch FROM least(NEW.expires_at, NEW.idle_at)) * 1000)::text);
    IF NEW.idle_at IS NOT NULL AND NEW.node_id IS NOT NULL THEN
      PERFORM pg_notify('idle_checks', NEW.node_id || ' ' ||
        floor(extract(epoch FROM idle_check_at(NEW.idle_at, NEW.idle_seconds)) * 1000));
    END IF;
    RETURN NULL; END $$`,

  // A change of the rules is announced like a change of the status, since processes cache both.
  `DROP TRIGGER announce_sandbox ON sandboxes`,
  `CREATE TRIGGER announce_sandbox AFTER UPDATE OF status, node_id, live_epoch, ${rules} OR DELETE ON sandboxes
    FOR EACH ROW EXECUTE FUNCTION announce_sandbox()`,
  `DROP TRIGGER announce_mapping_moves ON sandboxes`,
  `CREATE TRIGGER announce_mapping_moves AFTER UPDATE OF status, machine_id, node_id, ${rules} ON sandboxes
    FOR EACH ROW EXECUTE FUNCTION announce_mapping_moves()`,
]
