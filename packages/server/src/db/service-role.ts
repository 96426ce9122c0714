import { sql } from 'kysely'
import pg from 'pg'
import type { DatabaseAddress } from './address.ts'
import { type Database, openPool, type Tx } from './database.ts'
import { transact } from './transact.ts'

/** The role that the service works with in the embedded database. */
export const serviceRole = 'sandglass_service'

/** The advisory lock under which one process at a time grants rights. PostgreSQL refuses concurrent changes of the same rights. */
const lockId = 0x5a4d_91a7

/**
 * The columns of an audit entry that the service writes. The number and the time are the database's, so that the
 * service cannot backdate an entry.
 */
const auditColumns = 'org_id, actor_kind, actor_id, operation, target, outcome, address, request_id'

export const oneRoleNotice =
  'The role in DATABASE_URL owns the tables, so whoever takes over the service can also rewrite the audit log. Set SANDGLASS_DATABASE_OWNER_URL to use two roles ("Two roles" in docs/operating.md).'

/** Creates the role of the service in the embedded database. */
export async function createServiceRole(db: Database): Promise<void> {
  await transact(db, async tx => {
    await lock(tx)
    const { rows } = await sql`SELECT 1 FROM pg_roles WHERE rolname = ${serviceRole}`.execute(tx)
    if (rows.length === 0) await sql`CREATE ROLE ${sql.id(serviceRole)} LOGIN`.execute(tx)
  })
}

/** Returns the role that this address connects as. */
export async function roleOf(address: DatabaseAddress): Promise<string> {
  const { db, close } = openPool(address, () => {})
  try {
    const { rows } = await sql<{ role: string }>`SELECT current_user AS role`.execute(db)
    return rows[0]?.role ?? ''
  } finally {
    await close()
  }
}

/**
 * Lets the service read and write every table, except that it can only append to the audit log. Runs after every
 * migration, as the owner of the tables.
 */
export async function grantService(db: Database, role: string): Promise<void> {
  await transact(db, async tx => {
    await lock(tx)
    await refuseOwner(tx, role)
    const { rows } = await sql<{ schema: string }>`SELECT current_schema() AS schema`.execute(tx)
    const schema = rows[0]?.schema ?? 'public'
    const to = pg.escapeIdentifier(role)
    const inSchema = `IN SCHEMA ${pg.escapeIdentifier(schema)}`
    for (const statement of [
      `GRANT USAGE ON SCHEMA ${pg.escapeIdentifier(schema)} TO ${to}`,
      `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES ${inSchema} TO ${to}`,
      `GRANT USAGE, SELECT ON ALL SEQUENCES ${inSchema} TO ${to}`,
      `REVOKE ALL ON audit_log, audit_chain, kysely_migration, kysely_migration_lock FROM ${to}`,
      `GRANT SELECT ON audit_log, audit_chain, kysely_migration, kysely_migration_lock TO ${to}`,
      `GRANT INSERT (${auditColumns}) ON audit_log TO ${to}`,
    ])
      await sql.raw(statement).execute(tx)
  })
}

/** Whether the role of this connection has the rights of the owner of the audit log. Superusers have them too. */
export async function ownsAuditLog(db: Database): Promise<boolean> {
  const { rows } = await sql<{ owns: boolean }>`
    SELECT pg_has_role(current_user, relowner, 'MEMBER') AS owns FROM pg_class WHERE oid = 'audit_log'::regclass`.execute(
    db,
  )
  return rows[0]?.owns === true
}

async function refuseOwner(tx: Tx, role: string): Promise<void> {
  const { rows } = await sql<{ owner: string; owns: boolean }>`
    SELECT pg_get_userbyid(relowner) AS owner, pg_has_role(${role}, relowner, 'MEMBER') AS owns
    FROM pg_class WHERE oid = 'audit_log'::regclass`.execute(tx)
  if (rows[0]?.owns)
    throw new Error(
      `the role ${role} of DATABASE_URL has the rights of ${rows[0].owner}, which owns the tables. Use a role without them, or give the tables to the role of SANDGLASS_DATABASE_OWNER_URL with REASSIGN OWNED`,
    )
}

async function lock(tx: Tx): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(${lockId})`.execute(tx)
}
