import { type Kysely, sql } from 'kysely'

/** Files that a client has uploaded for an image build that it will ask for. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `CREATE TABLE build_uploads (
    id text PRIMARY KEY,
    org_id text NOT NULL REFERENCES organizations ON DELETE CASCADE,
    hash text NOT NULL,
    size_bytes int NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (org_id, hash)
  )`,
  `CREATE TABLE build_upload_pieces (
    upload_id text NOT NULL REFERENCES build_uploads ON DELETE CASCADE,
    position int NOT NULL,
    bytes bytea NOT NULL,
    PRIMARY KEY (upload_id, position)
  )`,
]
