import { type Kysely, sql } from 'kysely'

/** Webhooks, and what is or was sent to them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  // Events up to the position and number have deliveries. The process that has the lease adds more of them, and sends them.
  `CREATE TABLE webhooks (
    id text PRIMARY KEY,
    org_id text NOT NULL REFERENCES organizations ON DELETE CASCADE,
    url text NOT NULL,
    description text NOT NULL,
    types text[],
    enabled boolean NOT NULL DEFAULT true,
    disabled_reason text,
    sealed_secrets text NOT NULL,
    previous_until timestamptz,
    position bigint NOT NULL,
    number bigint NOT NULL,
    failing_since timestamptz,
    not_before timestamptz,
    leased_by text,
    leased_until timestamptz NOT NULL DEFAULT '-infinity',
    created_at timestamptz NOT NULL DEFAULT now()
  )`,
  `CREATE INDEX webhooks_of_org ON webhooks (org_id)`,

  // Webhooks are not referenced, because deleting a million rows would take longer than a statement may. Deliveries of a webhook
  // that is gone are deleted bit by bit.
  `CREATE TABLE webhook_deliveries (
    id bigint GENERATED ALWAYS AS IDENTITY,
    webhook_id text NOT NULL,
    message_id text NOT NULL,
    type text NOT NULL,
    subject text NOT NULL,
    body text NOT NULL,
    status text NOT NULL DEFAULT 'pending',
    due_at timestamptz NOT NULL DEFAULT now(),
    tries integer NOT NULL DEFAULT 0,
    attempts integer NOT NULL DEFAULT 0,
    responses jsonb NOT NULL DEFAULT '[]',
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (webhook_id, id)
  )`,
  `CREATE INDEX due_webhook_deliveries ON webhook_deliveries (webhook_id, due_at, id)
    WHERE status = 'pending'`,
  // Rows are added in the order of their age, so this finds the old ones and costs new ones almost nothing.
  `CREATE INDEX old_webhook_deliveries ON webhook_deliveries USING brin (created_at)`,

  `ALTER TABLE plans ADD COLUMN webhooks integer`,

  // Processes are notified of what decides who receives events, and of messages that a caller wants sent.
  `CREATE FUNCTION announce_webhook() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN PERFORM pg_notify('webhook_changes', coalesce(NEW.org_id, OLD.org_id)); RETURN NULL; END $$`,
  `CREATE TRIGGER announce_new AFTER INSERT OR DELETE ON webhooks
    FOR EACH ROW EXECUTE FUNCTION announce_webhook()`,
  `CREATE TRIGGER announce_change AFTER UPDATE OF url, types, enabled, sealed_secrets ON webhooks
    FOR EACH ROW EXECUTE FUNCTION announce_webhook()`,
]
