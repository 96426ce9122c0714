import { type Kysely, sql } from 'kysely'

/**
 * An id of the database and a number for each machine of a node. They show which installation a machine belongs to,
 * and whether the database is older than the machine because it was restored from a backup.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  // The primary key allows only one row.
  `CREATE TABLE installation (
    only_one boolean PRIMARY KEY DEFAULT true CHECK (only_one),
    id text NOT NULL DEFAULT gen_random_uuid()::text
  )`,
  `INSERT INTO installation DEFAULT VALUES`,

  // Machines from before this migration have no number of their own, and keep 0.
  `ALTER TABLE nodes ADD COLUMN last_machine_number bigint NOT NULL DEFAULT 0`,
  `ALTER TABLE machines ADD COLUMN number bigint NOT NULL DEFAULT 0`,
  // Use a counter in a row and not a sequence. A sequence may be 32 ahead after a crash or in a backup, and then
  // machines that are newer than the database would look like machines that it has forgotten.
  `CREATE FUNCTION number_machine() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    UPDATE nodes SET last_machine_number = last_machine_number + 1 WHERE id = NEW.node_id
      RETURNING last_machine_number INTO NEW.number;
    RETURN NEW; END $$`,
  `CREATE TRIGGER number_machine BEFORE INSERT ON machines FOR EACH ROW EXECUTE FUNCTION number_machine()`,
]
