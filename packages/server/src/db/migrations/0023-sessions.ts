import { type Kysely, sql } from 'kysely'

/** The sessions of people who are signed in, and the codes of links to sign in with. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

/** The key, token or user that a session stands for. Only a user has a role and a name here, because users have no row of their own. */
const holder = `holder_kind text NOT NULL,
    holder_id text NOT NULL,
    org_id text REFERENCES organizations ON DELETE CASCADE,
    role text,
    name text`

const statements = [
  `CREATE TABLE sessions (
    id text PRIMARY KEY,
    hash bytea NOT NULL UNIQUE,
    ${holder},
    created_at timestamptz NOT NULL DEFAULT now(),
    last_used_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL,
    address text NOT NULL,
    user_agent text
  )`,
  `CREATE INDEX sessions_of_holder ON sessions (holder_kind, holder_id)`,
  `CREATE INDEX sessions_of_org ON sessions (org_id)`,

  `CREATE TABLE sign_in_codes (
    hash bytea PRIMARY KEY,
    ${holder},
    holder_expires_at timestamptz,
    expires_at timestamptz NOT NULL
  )`,

  // Every process evicts a session that has ended, as it does with credentials.
  `CREATE TRIGGER announce AFTER UPDATE OF expires_at OR DELETE ON sessions
    FOR EACH ROW EXECUTE FUNCTION announce_credential()`,

  // The sessions and codes of a key or token end with it.
  `CREATE FUNCTION end_sessions() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    DELETE FROM sessions WHERE holder_kind = TG_ARGV[0] AND holder_id = OLD.id;
    DELETE FROM sign_in_codes WHERE holder_kind = TG_ARGV[0] AND holder_id = OLD.id;
    RETURN NULL;
  END $$`,
  ...Object.entries({ api_keys: 'apiKey', trial_tokens: 'trialToken', operator_keys: 'operator' }).map(
    ([table, kind]) => `CREATE TRIGGER end_sessions AFTER UPDATE OF revoked_at OR DELETE ON ${table}
      FOR EACH ROW EXECUTE FUNCTION end_sessions('${kind}')`,
  ),
]
