import { type Kysely, sql } from 'kysely'

/**
 * Secrets that were replaced and work for a while longer, the clients and calls of MCP servers, the progress of image builds, and
 * what the hosts of nodes have.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `CREATE TABLE replaced_secrets (
    hash bytea PRIMARY KEY,
    api_key_id text REFERENCES api_keys ON DELETE CASCADE,
    operator_key_id text REFERENCES operator_keys ON DELETE CASCADE,
    ends_at timestamptz NOT NULL
  )`,
  `CREATE INDEX replaced_secrets_of_api_key ON replaced_secrets (api_key_id)`,
  `CREATE INDEX replaced_secrets_of_operator_key ON replaced_secrets (operator_key_id)`,
  `CREATE INDEX replaced_secrets_by_end ON replaced_secrets (ends_at)`,
  `CREATE TRIGGER announce AFTER UPDATE OR DELETE ON replaced_secrets
    FOR EACH ROW EXECUTE FUNCTION announce_credential()`,

  // A change of a key also concerns the secrets that it had before, as long as they work.
  `CREATE FUNCTION announce_key() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    PERFORM pg_notify('credentials', encode(OLD.hash, 'hex'));
    PERFORM pg_notify('credentials', encode(hash, 'hex')) FROM replaced_secrets
      WHERE api_key_id = OLD.id OR operator_key_id = OLD.id;
    RETURN NULL; END $$`,
  ...Object.entries({
    api_keys: 'hash, role, expires_at, revoked_at',
    operator_keys: 'hash, revoked_at',
  }).flatMap(([table, columns]) => [
    `DROP TRIGGER announce ON ${table}`,
    `CREATE TRIGGER announce AFTER UPDATE OF ${columns} OR DELETE ON ${table}
      FOR EACH ROW EXECUTE FUNCTION announce_key()`,
  ]),

  `CREATE TABLE mcp_clients (
    id text PRIMARY KEY,
    server_id text NOT NULL REFERENCES mcp_servers ON DELETE CASCADE,
    session_id text REFERENCES mcp_sessions ON DELETE CASCADE,
    caller text NOT NULL,
    name text,
    version text,
    protocol_version text,
    connected_at timestamptz NOT NULL DEFAULT now(),
    last_call_at timestamptz
  )`,
  `CREATE INDEX mcp_clients_of_server ON mcp_clients (server_id)`,
  `CREATE INDEX mcp_clients_of_session ON mcp_clients (session_id)`,
  `CREATE TABLE mcp_calls (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    server_id text NOT NULL REFERENCES mcp_servers ON DELETE CASCADE,
    client_id text REFERENCES mcp_clients ON DELETE SET NULL,
    client_name text,
    client_version text,
    tool text NOT NULL,
    sandbox_id text,
    outcome text NOT NULL,
    at timestamptz NOT NULL,
    duration_ms integer NOT NULL
  )`,
  `CREATE INDEX mcp_calls_of_server ON mcp_calls (server_id, id DESC)`,
  `CREATE INDEX mcp_calls_of_client ON mcp_calls (client_id)`,

  `CREATE TABLE image_builds (
    image_id text PRIMARY KEY REFERENCES machine_images ON DELETE CASCADE,
    kind text NOT NULL,
    node_id text NOT NULL,
    steps_done integer NOT NULL DEFAULT 0,
    steps_total integer,
    activity text,
    started_at timestamptz NOT NULL DEFAULT now(),
    ended_at timestamptz
  )`,
  `CREATE INDEX image_builds_by_start ON image_builds (started_at DESC)`,
  // The end of a build is noted with the state of its image, however that came about.
  `CREATE FUNCTION end_image_build() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    UPDATE image_builds SET ended_at = now() WHERE image_id = NEW.id;
    RETURN NULL; END $$`,
  `CREATE TRIGGER end_build AFTER UPDATE OF status ON machine_images FOR EACH ROW
    WHEN (OLD.status = 'CREATING' AND NEW.status <> 'CREATING') EXECUTE FUNCTION end_image_build()`,
  `ALTER TABLE nodes ADD COLUMN resources jsonb, ADD COLUMN image_builds jsonb`,
]
