import { type Kysely, sql } from 'kysely'

/** The event log, which transactions append to together with the changes that its events describe. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  // Transaction ids order the log. In a database that was restored into another PostgreSQL they start again, so they are
  // shifted there to come after those of the restored events (events/align.ts). Events up to the removed position are
  // gone.
  `CREATE TABLE event_positions (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    shift bigint NOT NULL DEFAULT 0,
    removed_position bigint NOT NULL DEFAULT 0,
    removed_number bigint NOT NULL DEFAULT 0
  )`,
  `INSERT INTO event_positions DEFAULT VALUES`,
  // All events before the horizon are committed, and no transaction can add another one before it.
  `CREATE FUNCTION event_horizon() RETURNS bigint LANGUAGE sql STABLE
    RETURN pg_snapshot_xmin(pg_current_snapshot())::text::bigint + (SELECT shift FROM event_positions)`,

  // An organization is not referenced, so that its last events can still be read by the operator after it was deleted.
  `CREATE TABLE events (
    position bigint NOT NULL,
    number bigint GENERATED ALWAYS AS IDENTITY,
    org_id text,
    type text NOT NULL,
    at timestamptz NOT NULL DEFAULT now(),
    subject text NOT NULL,
    data jsonb NOT NULL,
    reason text,
    actor_kind text NOT NULL,
    actor_id text NOT NULL,
    PRIMARY KEY (position, number)
  )`,
  `CREATE INDEX events_of_org ON events (org_id, position, number)`,
  `CREATE INDEX events_of_subject ON events (subject, position, number)`,
  `CREATE FUNCTION refuse_event_change() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'events are never changed'; END $$`,
  `CREATE TRIGGER append_only BEFORE UPDATE ON events FOR EACH STATEMENT EXECUTE FUNCTION refuse_event_change()`,
  // One trigger for both, because every change pays for it.
  `CREATE FUNCTION place_event() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    NEW.position := coalesce(NEW.position,
      pg_current_xact_id()::text::bigint + (SELECT shift FROM event_positions));
    PERFORM pg_notify('events', '');
    RETURN NEW; END $$`,
  `CREATE TRIGGER place BEFORE INSERT ON events FOR EACH ROW EXECUTE FUNCTION place_event()`,

  // The end that a sandbox.expiring event has announced. After an extension there is another one to announce.
  `ALTER TABLE sandboxes ADD COLUMN announced_end timestamptz`,
]
