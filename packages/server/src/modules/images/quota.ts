import { ApiError } from '@sandglass/protocol'
import type { Tx } from '../../db/database.ts'
import { lockPlanOfOrganization } from '../plans/store.ts'
import { countImages } from './store.ts'

/** The limit that is reported for a plan without one: clients expect a number. */
export const unlimited = 1_000_000

/** Locks the organization, so that two concurrent images cannot both use the last of the quota. */
export async function requireImageQuota(tx: Tx, orgId: string): Promise<void> {
  const plan = await lockPlanOfOrganization(tx, orgId)
  if (!plan) throw new ApiError('organization.NOT_FOUND')
  const max = plan.machineImages ?? unlimited
  if ((await countImages(tx, orgId)) >= max)
    throw new ApiError('image.TOO_MANY', { message: `The plan allows ${max} images.` })
}
