import { type Kysely, sql } from 'kysely'

/**
 * A hash chain over the audit log. Each organization has a chain, and the operator has one, whose name is empty. The hash of a link
 * covers the hash before it and its entry, so that no entry can be changed, removed or inserted without breaking the chain.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ schema: string }>`SELECT quote_ident(current_schema()) AS schema`.execute(db)
  for (const statement of statementsIn(rows[0]?.schema ?? 'public')) await sql.raw(statement).execute(db)
}

const fields = [
  'last.number::text',
  'entry.id::text',
  'entry.org_id',
  '(extract(epoch FROM entry.at) * 1000000)::bigint::text',
  'entry.actor_kind',
  'entry.actor_id',
  'entry.operation',
  'entry.target',
  'entry.outcome',
  'entry.address',
  'entry.request_id',
]

const statementsIn = (schema: string) => [
  `CREATE TABLE audit_chain (
    chain text NOT NULL,
    number bigint NOT NULL,
    entry_id bigint NOT NULL UNIQUE,
    hash bytea NOT NULL,
    PRIMARY KEY (chain, number)
  )`,
  `CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_chain
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()`,

  // Every field is preceded by its length in characters, so that no two entries have the same text. audit/chain.ts
  // computes the same. Only the trigger below and this migration call this function.
  `CREATE FUNCTION link_audit_entry(entry audit_log) RETURNS void LANGUAGE plpgsql AS $$
    DECLARE
      its_chain text := coalesce(entry.org_id, '');
      last audit_chain;
    BEGIN
      -- The writers of one chain wait for each other until their transactions end. Each statement then sees the last link.
      PERFORM pg_advisory_xact_lock(1515032998, hashtext(its_chain));
      SELECT * INTO last FROM audit_chain WHERE chain = its_chain ORDER BY number DESC LIMIT 1;
      last.number := coalesce(last.number, 0) + 1;
      INSERT INTO audit_chain (chain, number, entry_id, hash) VALUES (its_chain, last.number, entry.id,
        sha256(coalesce(last.hash, ''::bytea) || convert_to(concat(
          ${fields.map(field => `coalesce(length(${field}) || ':' || ${field}, '-')`).join(',\n          ')}
        ), 'UTF8')));
    END $$`,
  `REVOKE ALL ON FUNCTION link_audit_entry(audit_log) FROM PUBLIC`,
  `DO $$ DECLARE entry audit_log;
    BEGIN FOR entry IN SELECT * FROM audit_log ORDER BY id LOOP PERFORM link_audit_entry(entry); END LOOP; END $$`,

  // Only the trigger may add links, with the rights of the owner. It runs when the transaction commits, so that writers
  // of one chain wait for each other only during their commits, and hold no lock while they wait for other rows.
  // A commit is not subject to statement_timeout, so the wait for another writer has a limit of its own.
  `CREATE FUNCTION link_new_audit_entry() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = ${schema}, pg_temp SET lock_timeout = '4s' AS $$ BEGIN PERFORM link_audit_entry(NEW); RETURN NULL; END $$`,
  `REVOKE ALL ON FUNCTION link_new_audit_entry() FROM PUBLIC`,
  `CREATE CONSTRAINT TRIGGER link AFTER INSERT ON audit_log DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION link_new_audit_entry()`,
]
