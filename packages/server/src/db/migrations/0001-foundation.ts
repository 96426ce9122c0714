import { type Kysely, sql } from 'kysely'

/** Organizations, credentials, projects, sandboxes, MCP servers and the audit log. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `CREATE TABLE plans (
    name text PRIMARY KEY,
    tier integer NOT NULL,
    concurrent_sandboxes integer,
    machine_images integer
  )`,
  `INSERT INTO plans (name, tier) VALUES ('unlimited', 1000)`,
  `CREATE TABLE organizations (
    id text PRIMARY KEY,
    name text NOT NULL,
    plan text NOT NULL REFERENCES plans (name),
    feature_flags text[] NOT NULL DEFAULT '{}',
    created_at timestamptz NOT NULL DEFAULT now()
  )`,
  `CREATE TABLE projects (
    id text PRIMARY KEY,
    org_id text NOT NULL REFERENCES organizations ON DELETE CASCADE,
    name text NOT NULL,
    is_default boolean NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
  )`,
  `CREATE INDEX projects_of_org ON projects (org_id, created_at)`,
  `CREATE UNIQUE INDEX one_default_project ON projects (org_id) WHERE is_default`,
  `CREATE TABLE api_keys (
    id text PRIMARY KEY,
    org_id text NOT NULL REFERENCES organizations ON DELETE CASCADE,
    name text NOT NULL,
    prefix text NOT NULL,
    hash bytea NOT NULL UNIQUE,
    role text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz,
    last_used_at timestamptz,
    revoked_at timestamptz
  )`,
  `CREATE INDEX api_keys_of_org ON api_keys (org_id, created_at)`,
  `CREATE TABLE operator_keys (
    id text PRIMARY KEY,
    prefix text NOT NULL,
    hash bytea NOT NULL UNIQUE,
    created_at timestamptz NOT NULL DEFAULT now(),
    revoked_at timestamptz
  )`,
  `CREATE TABLE trial_tokens (
    id text PRIMARY KEY,
    org_id text NOT NULL REFERENCES organizations ON DELETE CASCADE,
    name text NOT NULL,
    prefix text NOT NULL,
    hash bytea NOT NULL UNIQUE,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL,
    revoked_at timestamptz,
    sandbox_quota integer NOT NULL,
    shape_names text[] NOT NULL
  )`,
  `CREATE INDEX trial_tokens_of_org ON trial_tokens (org_id, created_at)`,
  `CREATE TABLE nodes (
    id text PRIMARY KEY,
    hostname text NOT NULL,
    version text NOT NULL,
    started_at timestamptz NOT NULL,
    seen_at timestamptz NOT NULL
  )`,
  `CREATE TABLE sandboxes (
    id text PRIMARY KEY,
    org_id text NOT NULL REFERENCES organizations,
    project_id text NOT NULL REFERENCES projects,
    name text NOT NULL,
    shape_name text NOT NULL,
    status text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL
  )`,
  `CREATE INDEX sandboxes_of_org ON sandboxes (org_id, created_at)`,
  `CREATE INDEX sandboxes_of_project ON sandboxes (project_id)`,
  `CREATE TABLE mcp_servers (
    id text PRIMARY KEY,
    org_id text NOT NULL REFERENCES organizations ON DELETE CASCADE,
    project_id text NOT NULL REFERENCES projects,
    name text NOT NULL,
    is_default boolean NOT NULL,
    current_sandbox_id text REFERENCES sandboxes ON DELETE SET NULL,
    policy jsonb NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
  )`,
  `CREATE INDEX mcp_servers_of_org ON mcp_servers (org_id, created_at)`,
  `CREATE INDEX mcp_servers_of_project ON mcp_servers (project_id)`,
  `CREATE UNIQUE INDEX one_default_mcp_server ON mcp_servers (org_id) WHERE is_default`,
  `CREATE TABLE idempotency (
    caller text NOT NULL,
    key text NOT NULL,
    request_hash bytea NOT NULL,
    answer json,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (caller, key)
  )`,
  `CREATE INDEX idempotency_by_age ON idempotency (created_at)`,
  `CREATE TABLE audit_log (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    org_id text,
    at timestamptz NOT NULL DEFAULT now(),
    actor_kind text NOT NULL,
    actor_id text NOT NULL,
    operation text NOT NULL,
    target text,
    outcome text NOT NULL,
    address text,
    request_id text NOT NULL
  )`,
  `CREATE INDEX audit_log_of_org ON audit_log (org_id, id DESC)`,

  // The audit log is append-only for everybody, whatever connection they use.
  `CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION '% only grows', TG_TABLE_NAME; END $$`,
  `CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_log
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()`,

  // When a credential changes, every process evicts it from its cache.
  `CREATE FUNCTION announce_credential() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN PERFORM pg_notify('credentials', encode(OLD.hash, 'hex')); RETURN NULL; END $$`,
  ...Object.entries({
    api_keys: 'role, expires_at, revoked_at',
    operator_keys: 'revoked_at',
    trial_tokens: 'expires_at, revoked_at',
  }).map(
    ([table, columns]) => `CREATE TRIGGER announce AFTER UPDATE OF ${columns} OR DELETE ON ${table}
      FOR EACH ROW EXECUTE FUNCTION announce_credential()`,
  ),
  `CREATE FUNCTION announce_every_credential() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN PERFORM pg_notify('credentials', '*'); RETURN NULL; END $$`,
  ...['organizations', 'plans'].map(
    table => `CREATE TRIGGER announce AFTER UPDATE OR DELETE ON ${table}
      FOR EACH STATEMENT EXECUTE FUNCTION announce_every_credential()`,
  ),
]
