import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { grantService } from '../db/service-role.ts'
import { startTestService } from '../testing/test-service.ts'
import { verifyAudit } from './chain.ts'
import { AuditWriter } from './writer.ts'

const service = await startTestService()
const { db } = service.pool

/** Makes a statement as the owner of the tables while the triggers are off, as an intruder would, and undoes it afterwards. */
async function tampered(statement: string): Promise<Awaited<ReturnType<typeof verifyAudit>>> {
  const tx = await db.startTransaction().execute()
  try {
    await sql`SET LOCAL session_replication_role = replica`.execute(tx)
    await sql.raw(statement).execute(tx)
    return await verifyAudit(tx)
  } finally {
    await tx.rollback().execute()
  }
}

const entry = (orgId: string | null, text: string) => ({
  org_id: orgId,
  actor_kind: 'service',
  actor_id: 'test',
  operation: text,
  target: null,
  outcome: 'done',
  address: null,
  request_id: '',
})

test('every change of the service has a link, and the chains are intact', async () => {
  for (const name of ['a', 'Überraschung 🎉', '7:nested']) await service.post('~/projects', { name })
  await service.post('~/projects', { name: '' })
  await service.otherOrganization()
  const { heads, breaks, entries } = await verifyAudit(db)
  assert.deepEqual(breaks, [])
  assert.ok(heads.some(({ chain }) => chain === service.orgId))
  assert.ok(heads.some(({ chain }) => chain === ''))
  const { rows } = await sql<{ count: number }>`SELECT count(*)::int AS count FROM audit_log`.execute(db)
  assert.equal(entries, rows[0]?.count)
})

test('concurrent writers of several chains, in any order, extend each chain one link at a time', async () => {
  const chains = ['org-a', 'org-b', null]
  const writers = Array.from({ length: 4 }, () => new AuditWriter(service.pool.prepared))
  await Promise.all(
    writers.flatMap((writer, at) =>
      Array.from({ length: 60 }, (_, i) =>
        writer.append(entry(chains[(at + i) % 3] ?? null, `entry ü🎉 ${i}`)),
      ),
    ),
  )
  const { heads, breaks } = await verifyAudit(db)
  assert.deepEqual(breaks, [])
  for (const chain of ['org-a', 'org-b']) assert.equal(heads.find(head => head.chain === chain)?.number, 80)
})

test('a transaction that fails leaves no gap', async () => {
  const tx = await db.startTransaction().execute()
  await tx.insertInto('audit_log').values(entry('org-a', 'undone')).execute()
  await tx.rollback().execute()
  await db.insertInto('audit_log').values(entry('org-a', 'done')).execute()
  assert.deepEqual((await verifyAudit(db)).breaks, [])
})

const tampering: Record<string, [statement: string, problem: RegExp]> = {
  'a changed entry': [`UPDATE audit_log SET actor_id = 'nobody' WHERE operation = 'done'`, /was changed/],
  'a backdated entry': [
    `UPDATE audit_log SET at = at - interval '1 hour' WHERE operation = 'done'`,
    /was changed/,
  ],
  'a text that moved to the next field': [
    `UPDATE audit_log SET actor_kind = 'servicet', actor_id = 'est' WHERE operation = 'done'`,
    /was changed/,
  ],
  'a removed entry': [`DELETE FROM audit_log WHERE operation = 'done'`, /entry is missing/],
  'an entry that was removed with its link': [
    `WITH gone AS (DELETE FROM audit_chain WHERE chain = 'org-a' AND number = 40 RETURNING entry_id)
      DELETE FROM audit_log WHERE id IN (SELECT entry_id FROM gone)`,
    /link is missing/,
  ],
  'an inserted entry': [
    `INSERT INTO audit_log (org_id, actor_kind, actor_id, operation, outcome, request_id)
      VALUES ('org-a', 'apiKey', 'x', 'forged', 'done', '')`,
    /without a link/,
  ],
}
for (const [name, [statement, problem]] of Object.entries(tampering))
  test(`${name} is found`, async () => {
    const { breaks } = await tampered(statement)
    assert.equal(breaks.length, 1)
    assert.equal(breaks[0]?.chain, 'org-a')
    assert.match(breaks[0]?.problem ?? '', problem)
  })

test('the removal of the last entries is found with the heads of an earlier verification', async () => {
  const { heads } = await verifyAudit(db)
  const last = `WITH gone AS (DELETE FROM audit_chain WHERE chain = 'org-a' AND number > 70 RETURNING entry_id)
    DELETE FROM audit_log WHERE id IN (SELECT entry_id FROM gone)`
  const tx = await db.startTransaction().execute()
  await sql`SET LOCAL session_replication_role = replica`.execute(tx)
  await sql.raw(last).execute(tx)
  const unnoticed = await verifyAudit(tx)
  const { breaks } = await verifyAudit(tx, heads)
  await tx.rollback().execute()
  assert.deepEqual(unnoticed.breaks, [])
  assert.match(breaks[0]?.problem ?? '', /the chain ends at 70, and had 81 links before/)
  assert.deepEqual((await verifyAudit(db, heads)).breaks, [])
})

test('the role of the service can append to the audit log and do nothing else to it', async () => {
  const role = 'sandglass_tested_service'
  await sql`DROP ROLE IF EXISTS ${sql.id(role)}`.execute(db).catch(() => {})
  const { rows } = await sql`SELECT 1 FROM pg_roles WHERE rolname = ${role}`.execute(db)
  if (rows.length === 0) await sql`CREATE ROLE ${sql.id(role)} LOGIN`.execute(db)
  await grantService(db, role)
  const refused = [
    `UPDATE audit_log SET actor_id = 'nobody'`,
    `DELETE FROM audit_log`,
    `TRUNCATE audit_log`,
    `DROP TRIGGER append_only ON audit_log`,
    `DROP TRIGGER link ON audit_log`,
    `ALTER TABLE audit_log DISABLE TRIGGER ALL`,
    `ALTER TABLE audit_log OWNER TO ${role}`,
    `DROP TABLE audit_log`,
    `SET LOCAL session_replication_role = replica`,
    `INSERT INTO audit_log (org_id, at, actor_kind, actor_id, operation, outcome, request_id)
      VALUES ('org-a', now() - interval '1 year', 'apiKey', 'x', 'backdated', 'done', '')`,
    `UPDATE audit_chain SET hash = ''`,
    `DELETE FROM audit_chain`,
    `INSERT INTO audit_chain (chain, number, entry_id, hash) VALUES ('org-a', 1000, 1000, '')`,
    `SELECT link_audit_entry(audit_log) FROM audit_log`,
    `CREATE OR REPLACE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$`,
    `CREATE OR REPLACE FUNCTION link_new_audit_entry() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$`,
  ]
  for (const statement of refused) {
    const tx = await db.startTransaction().execute()
    await sql`SET LOCAL SESSION AUTHORIZATION ${sql.id(role)}`.execute(tx)
    await assert.rejects(
      sql.raw(statement).execute(tx),
      /must be owner|permission denied|must be able/,
      statement,
    )
    await tx.rollback().execute()
  }
  // A table of its own with the same name does not divert the links.
  const tx = await db.startTransaction().execute()
  await sql`SET LOCAL SESSION AUTHORIZATION ${sql.id(role)}`.execute(tx)
  await sql`CREATE TEMPORARY TABLE audit_chain (LIKE public.audit_chain) ON COMMIT DROP`.execute(tx)
  await tx.insertInto('audit_log').values(entry('org-c', 'appended')).execute()
  await tx.commit().execute()
  const { heads, breaks } = await verifyAudit(db)
  assert.deepEqual([breaks, heads.find(({ chain }) => chain === 'org-c')?.number], [[], 1])
})
