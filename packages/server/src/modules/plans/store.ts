import type { Plan } from '@sandglass/protocol'
import type { Selectable } from 'kysely'
import type { Database, Tx } from '../../db/database.ts'
import type { PlanTable } from '../../db/schema.ts'

export async function selectPlans(db: Database): Promise<Plan[]> {
  const rows = await db.selectFrom('plans').selectAll().orderBy('tier').orderBy('name').execute()
  return rows.map(planOf)
}

/** Returns undefined if a plan with this name exists. */
export async function insertPlan(tx: Tx, plan: Plan): Promise<Plan | undefined> {
  const row = await tx
    .insertInto('plans')
    .values({ name: plan.name, ...columnsOf(plan) })
    .onConflict(conflict => conflict.doNothing())
    .returningAll()
    .executeTakeFirst()
  return row && planOf(row)
}

export async function updatePlanRow(tx: Tx, plan: Plan): Promise<void> {
  await tx.updateTable('plans').set(columnsOf(plan)).where('name', '=', plan.name).execute()
}

/** Locks the plan, so that it cannot be assigned to an organization until the transaction ends. */
export async function lockPlan(tx: Tx, name: string): Promise<Plan | undefined> {
  const row = await tx.selectFrom('plans').selectAll().where('name', '=', name).forUpdate().executeTakeFirst()
  return row && planOf(row)
}

/** Returns the plan of an organization, and locks the organization until the transaction ends. */
export async function lockPlanOfOrganization(tx: Tx, orgId: string): Promise<Plan | undefined> {
  const row = await planOfOrganization(tx, orgId).forUpdate('org').executeTakeFirst()
  return row && planOf(row)
}

export async function selectPlanOfOrganization(db: Database, orgId: string): Promise<Plan | undefined> {
  const row = await planOfOrganization(db, orgId).executeTakeFirst()
  return row && planOf(row)
}

function planOfOrganization(db: Database | Tx, orgId: string) {
  return db
    .selectFrom('organizations as org')
    .innerJoin('plans as plan', 'plan.name', 'org.plan')
    .selectAll('plan')
    .where('org.id', '=', orgId)
}

export async function isPlanInUse(tx: Tx, name: string): Promise<boolean> {
  const row = await tx
    .selectFrom('organizations')
    .select('id')
    .where('plan', '=', name)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

export async function deletePlanRow(tx: Tx, name: string): Promise<void> {
  await tx.deleteFrom('plans').where('name', '=', name).execute()
}

function columnsOf(plan: Plan) {
  const { tier, concurrentSandboxes, machineImages, snapshots, volumes, volumesMiB, webhooks } = plan
  return {
    tier,
    concurrent_sandboxes: concurrentSandboxes,
    machine_images: machineImages,
    snapshots,
    volumes,
    volumes_mib: volumesMiB,
    webhooks,
  }
}

function planOf(row: Selectable<PlanTable>): Plan {
  return {
    name: row.name,
    tier: row.tier,
    concurrentSandboxes: row.concurrent_sandboxes,
    machineImages: row.machine_images,
    snapshots: row.snapshots,
    volumes: row.volumes,
    volumesMiB: row.volumes_mib,
    webhooks: row.webhooks,
  }
}
