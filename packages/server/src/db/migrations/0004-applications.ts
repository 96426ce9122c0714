import { type Kysely, sql } from 'kysely'

/** Installations of applications in sandboxes. They are deleted with their sandbox. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `CREATE TABLE application_operations (
    id text PRIMARY KEY,
    sandbox_id text NOT NULL REFERENCES sandboxes ON DELETE CASCADE,
    node_id text NOT NULL,
    app_id text NOT NULL,
    status text NOT NULL DEFAULT 'PENDING',
    detail jsonb,
    created_at timestamptz NOT NULL DEFAULT now()
  )`,
  // An application can be installed only once in a sandbox. A failed installation may be repeated.
  `CREATE UNIQUE INDEX one_installation ON application_operations (sandbox_id, app_id)
    WHERE status IN ('PENDING', 'RUNNING', 'SUCCEEDED')`,
  `CREATE INDEX installations_under_way ON application_operations (node_id) WHERE status IN ('PENDING', 'RUNNING')`,
]
