import { type Kysely, sql } from 'kysely'

/** The actions that were performed in sandboxes. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  // Sandboxes are not referenced, so that their actions can be listed after they have ended. The type json keeps texts as they were
  // sent, and jsonb refuses some characters that can be typed.
  `CREATE TABLE sandbox_actions (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    org_id text NOT NULL,
    sandbox_id text NOT NULL,
    at timestamptz NOT NULL,
    actor_kind text NOT NULL,
    actor_id text NOT NULL,
    source text NOT NULL,
    type text NOT NULL,
    action json,
    duration_ms integer NOT NULL,
    outcome text NOT NULL,
    screenshot text
  )`,
  `CREATE INDEX actions_of_sandbox ON sandbox_actions (sandbox_id, number)`,
]
