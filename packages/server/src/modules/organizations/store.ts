import { randomUUID } from 'node:crypto'
import type { Organization } from '@sandglass/protocol'
import type { Selectable } from 'kysely'
import type { Database, Tx } from '../../db/database.ts'
import type { OrganizationTable } from '../../db/schema.ts'

/** The properties of an organization that can be set. */
export interface OrganizationFields {
  readonly name: string
  readonly plan: string
  readonly featureFlags: readonly string[]
}

export async function selectOrganizations(db: Database | Tx): Promise<Organization[]> {
  const rows = await db.selectFrom('organizations').selectAll().orderBy('created_at').orderBy('id').execute()
  return rows.map(organizationOf)
}

export async function selectOrganization(db: Database | Tx, id: string): Promise<Organization | undefined> {
  const row = await db.selectFrom('organizations').selectAll().where('id', '=', id).executeTakeFirst()
  return row && organizationOf(row)
}

export async function insertOrganization(tx: Tx, fields: OrganizationFields): Promise<Organization> {
  const row = await tx
    .insertInto('organizations')
    .values({
      id: randomUUID(),
      name: fields.name,
      plan: fields.plan,
      feature_flags: [...fields.featureFlags],
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  return organizationOf(row)
}

export async function updateOrganizationRow(
  tx: Tx,
  id: string,
  fields: OrganizationFields,
): Promise<Organization> {
  const row = await tx
    .updateTable('organizations')
    .set({ name: fields.name, plan: fields.plan, feature_flags: [...fields.featureFlags] })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
  return organizationOf(row)
}

/** Locks the organization, so that nothing can be added to it until the transaction ends. */
export async function lockOrganization(tx: Tx, id: string): Promise<Organization | undefined> {
  const row = await tx
    .selectFrom('organizations')
    .selectAll()
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  return row && organizationOf(row)
}

export async function hasSandboxes(tx: Tx, orgId: string): Promise<boolean> {
  const row = await tx
    .selectFrom('sandboxes')
    .select('id')
    .where('org_id', '=', orgId)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

export async function deleteOrganizationRow(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('mcp_servers').where('org_id', '=', id).execute()
  await tx.deleteFrom('organizations').where('id', '=', id).execute()
}

function organizationOf(row: Selectable<OrganizationTable>): Organization {
  return {
    id: row.id,
    name: row.name,
    createdAt: row.created_at.toISOString(),
    plan: row.plan,
    featureFlags: row.feature_flags,
  }
}
