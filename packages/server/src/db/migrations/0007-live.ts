import { type Kysely, sql } from 'kysely'

/** The live view: invitations, the revocation of tokens, takeover requests, and the addresses of nodes. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  // A token contains the epoch in which it was issued, and is invalid in later epochs.
  `ALTER TABLE sandboxes
    ADD COLUMN live_epoch integer NOT NULL DEFAULT 0,
    ADD COLUMN person_called boolean NOT NULL DEFAULT false`,
  `UPDATE sandboxes SET person_called = true WHERE control = 'user'`,
  `ALTER TABLE nodes ADD COLUMN live jsonb`,
  `CREATE TABLE live_invitations (
    id text PRIMARY KEY,
    sandbox_id text NOT NULL REFERENCES sandboxes ON DELETE CASCADE,
    hash bytea NOT NULL UNIQUE,
    scope text[] NOT NULL,
    created_by text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL
  )`,
  `CREATE INDEX live_invitations_of_sandbox ON live_invitations (sandbox_id, created_at)`,
  // A process with viewers of a sandbox is notified when the machine stops or starts, the sandbox ends, or tokens are
  // revoked.
  `CREATE FUNCTION announce_sandbox() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN PERFORM pg_notify('sandbox_changes', OLD.id); RETURN NULL; END $$`,
  `CREATE TRIGGER announce_sandbox AFTER UPDATE OF status, node_id, live_epoch OR DELETE ON sandboxes
    FOR EACH ROW EXECUTE FUNCTION announce_sandbox()`,
  `CREATE FUNCTION announce_invitation_end() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN PERFORM pg_notify('sandbox_changes', OLD.sandbox_id); RETURN NULL; END $$`,
  `CREATE TRIGGER announce_end AFTER DELETE ON live_invitations
    FOR EACH ROW EXECUTE FUNCTION announce_invitation_end()`,
]
