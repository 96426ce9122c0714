import { type Kysely, sql } from 'kysely'

/** The settings and the sandboxes of MCP servers, and the sessions of their clients. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `ALTER TABLE mcp_servers
    ADD COLUMN sandbox_made boolean NOT NULL DEFAULT false,
    ADD COLUMN sandbox_wanted boolean NOT NULL DEFAULT false,
    ADD COLUMN tools jsonb NOT NULL DEFAULT '{}',
    ADD COLUMN screen_longest_side integer NOT NULL DEFAULT 1280`,
  `CREATE INDEX mcp_servers_of_sandbox ON mcp_servers (current_sandbox_id)`,
  `CREATE INDEX mcp_servers_in_want ON mcp_servers (id) WHERE sandbox_wanted`,
  `CREATE TABLE mcp_sessions (
    id text PRIMARY KEY,
    server_id text NOT NULL REFERENCES mcp_servers ON DELETE CASCADE,
    caller text NOT NULL,
    seen_at timestamptz NOT NULL DEFAULT now()
  )`,
  `CREATE INDEX mcp_sessions_of_caller ON mcp_sessions (server_id, caller, seen_at)`,
  `CREATE INDEX mcp_sessions_by_age ON mcp_sessions (seen_at)`,

  // When a sandbox is deleted, its MCP server is detached from it. A server that creates sandboxes ahead then wants
  // another one, unless the sandbox was deleted because nobody used it.
  `CREATE FUNCTION part_from_mcp_servers() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    UPDATE mcp_servers SET
      current_sandbox_id = NULL,
      sandbox_made = false,
      sandbox_wanted = (policy->>'sandboxAutoCreation')::boolean
        AND NOT coalesce(OLD.idle_at <= now() AND OLD.idle_at <= OLD.expires_at, false)
      WHERE current_sandbox_id = OLD.id;
    PERFORM pg_notify('sandbox_deletions', OLD.id);
    RETURN OLD; END $$`,
  `CREATE TRIGGER part_from_mcp_servers BEFORE DELETE ON sandboxes
    FOR EACH ROW EXECUTE FUNCTION part_from_mcp_servers()`,

  // Clients that listen are notified when the tools of a server change, and calls end when their server is deleted.
  `CREATE FUNCTION announce_mcp_server() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF TG_OP = 'DELETE' THEN
      PERFORM pg_notify('mcp_server_deletions', OLD.id);
      RETURN NULL;
    END IF;
    PERFORM pg_notify('mcp_server_changes', NEW.id);
    IF NEW.sandbox_wanted THEN PERFORM pg_notify('mcp_sandboxes_wanted', NEW.id); END IF;
    RETURN NULL; END $$`,
  `CREATE TRIGGER announce AFTER INSERT OR UPDATE OR DELETE ON mcp_servers
    FOR EACH ROW EXECUTE FUNCTION announce_mcp_server()`,

  // When a session is deleted, every process closes what the session has open.
  `CREATE FUNCTION announce_mcp_session_end() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN PERFORM pg_notify('mcp_session_ends', OLD.id); RETURN NULL; END $$`,
  `CREATE TRIGGER announce_end AFTER DELETE ON mcp_sessions
    FOR EACH ROW EXECUTE FUNCTION announce_mcp_session_end()`,
]
