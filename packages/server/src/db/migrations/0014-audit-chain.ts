import { type Kysely, sql } from 'kysely'

/**
 * A hash chain over the audit log. Each organization has a chain, and the operator has one, whose name is empty. The hash of a link
 * covers the hash before it and its entry, so that no entry can be changed, removed or inserted without breaking the chain.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ schema: string }>`SELECT quote_ident(current_schema()) AS schema`.execute(db)
  for (const statement of statementsIn(rows[0]?.schema ?? 'public')) await sql.raw(statement).execute(db)
}

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

  // Every field is preceded by its length, so that no two entries have the same bytes. audit/chain.ts computes the same.
  `CREATE FUNCTION audit_field(value text) RETURNS bytea LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN value IS NULL THEN '-'::bytea
      ELSE convert_to(length(convert_to(value, 'UTF8')) || ':', 'UTF8') || convert_to(value, 'UTF8') END $$`,
  // A commit is not subject to statement_timeout, so the wait for another writer has a limit of its own.
  `CREATE FUNCTION link_audit_entry(entry audit_log) RETURNS void LANGUAGE plpgsql
    SET search_path = ${schema}, pg_temp SET lock_timeout = '4s' AS $$
    DECLARE
      its_chain text := coalesce(entry.org_id, '');
      last audit_chain;
    BEGIN
      -- The writers of one chain wait for each other until their transactions end. Each statement then sees the last link.
      PERFORM pg_advisory_xact_lock(1515032998, hashtext(its_chain));
      SELECT * INTO last FROM audit_chain WHERE chain = its_chain ORDER BY number DESC LIMIT 1;
      INSERT INTO audit_chain (chain, number, entry_id, hash) VALUES (
        its_chain, coalesce(last.number, 0) + 1, entry.id,
        sha256(coalesce(last.hash, ''::bytea)
          || audit_field((coalesce(last.number, 0) + 1)::text)
          || audit_field(entry.id::text)
          || audit_field(entry.org_id)
          || audit_field((extract(epoch FROM entry.at) * 1000000)::bigint::text)
          || audit_field(entry.actor_kind)
          || audit_field(entry.actor_id)
          || audit_field(entry.operation)
          || audit_field(entry.target)
          || audit_field(entry.outcome)
          || audit_field(entry.address)
          || audit_field(entry.request_id)));
    END $$`,
  `DO $$ DECLARE entry audit_log;
    BEGIN FOR entry IN SELECT * FROM audit_log ORDER BY id LOOP PERFORM link_audit_entry(entry); END LOOP; END $$`,

  // Only the trigger may add links, with the rights of the owner. It runs when the transaction commits, so that writers
  // of one chain wait for each other only during their commits, and hold no lock while they wait for other rows.
  `REVOKE ALL ON FUNCTION link_audit_entry(audit_log) FROM PUBLIC`,
  `CREATE FUNCTION link_new_audit_entry() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = ${schema}, pg_temp AS $$ BEGIN PERFORM link_audit_entry(NEW); RETURN NULL; END $$`,
  `REVOKE ALL ON FUNCTION link_new_audit_entry() FROM PUBLIC`,
  `CREATE CONSTRAINT TRIGGER link AFTER INSERT ON audit_log DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION link_new_audit_entry()`,
]
