import { ApiError, type CreatedApiKey, type Organization } from '@sandglass/protocol'
import type { Tx } from '../../db/database.ts'
import { createKey } from '../api-keys/service.ts'
import { lockPlan } from '../plans/store.ts'
import { insertProject } from '../projects/store.ts'
import {
  deleteOrganizationRow,
  hasSandboxes,
  insertOrganization,
  lockOrganization,
  type OrganizationFields,
  updateOrganizationRow,
} from './store.ts'

export interface CreatedOrganization {
  readonly organization: Organization
  readonly ownerKey: CreatedApiKey
}

/** Creates an organization with its default project and an owner key. */
export async function createOrganization(tx: Tx, fields: OrganizationFields): Promise<CreatedOrganization> {
  await requirePlan(tx, fields.plan)
  const organization = await insertOrganization(tx, fields)
  await insertProject(tx, organization.id, 'Default', true)
  const ownerKey = await createKey(tx, organization.id, { name: 'owner', role: 'owner' })
  return { organization, ownerKey }
}

export async function updateOrganization(
  tx: Tx,
  id: string,
  changes: Partial<OrganizationFields>,
): Promise<Organization> {
  const organization = await lockOrganization(tx, id)
  if (!organization) throw new ApiError('organization.NOT_FOUND')
  if (changes.plan !== undefined) await requirePlan(tx, changes.plan)
  return updateOrganizationRow(tx, id, { ...organization, ...changes })
}

export async function deleteOrganization(tx: Tx, id: string): Promise<void> {
  if (!(await lockOrganization(tx, id))) throw new ApiError('organization.NOT_FOUND')
  if (await hasSandboxes(tx, id)) throw new ApiError('organization.NOT_EMPTY')
  await deleteOrganizationRow(tx, id)
}

async function requirePlan(tx: Tx, name: string): Promise<void> {
  if (!(await lockPlan(tx, name)))
    throw new ApiError('plan.NOT_FOUND', { message: `There is no plan ${name}.` })
}
