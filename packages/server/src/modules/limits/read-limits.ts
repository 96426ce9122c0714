import { ApiError, type Limits } from '@sandglass/protocol'
import type { Database } from '../../db/database.ts'
import { countAtWork } from '../../records/machines.ts'
import { countSandboxes } from '../../records/sandboxes.ts'
import { maxKeys } from '../api-keys/service.ts'
import { selectKeys } from '../api-keys/store.ts'
import { countImages } from '../images/store.ts'
import { maxServers } from '../mcp-servers/service.ts'
import { countServers } from '../mcp-servers/store.ts'
import { selectPlanOfOrganization } from '../plans/store.ts'
import { maxProjects } from '../projects/service.ts'
import { countProjects } from '../projects/store.ts'
import { countSnapshots } from '../snapshots/store.ts'
import { maxTokens, selectTrialTokens } from '../trial-tokens/store.ts'
import { sumVolumes } from '../volumes/store.ts'
import { webhookLimit } from '../webhooks/service.ts'
import { countWebhooks } from '../webhooks/store.ts'

/** Counts with the same functions that refuse what is beyond a limit, so that the two always agree. */
export async function readLimits(db: Database, orgId: string): Promise<Limits> {
  const plan = await selectPlanOfOrganization(db, orgId)
  if (!plan) throw new ApiError('organization.NOT_FOUND')
  const volumes = await sumVolumes(db, orgId)
  return {
    plan: plan.name,
    tier: plan.tier,
    limits: [
      {
        name: 'concurrentSandboxes',
        used: (await countSandboxes(db, orgId)) + (await countAtWork(db, orgId)),
        limit: plan.concurrentSandboxes,
      },
      { name: 'machineImages', used: await countImages(db, orgId), limit: plan.machineImages },
      { name: 'snapshots', used: await countSnapshots(db, orgId), limit: plan.snapshots },
      { name: 'volumes', used: volumes.count, limit: plan.volumes },
      { name: 'volumesMiB', used: volumes.sizeMiB, limit: plan.volumesMiB },
      { name: 'webhooks', used: await countWebhooks(db, orgId), limit: webhookLimit(plan) },
      { name: 'apiKeys', used: (await selectKeys(db, orgId)).length, limit: maxKeys },
      { name: 'trialTokens', used: (await selectTrialTokens(db, orgId)).length, limit: maxTokens },
      { name: 'projects', used: await countProjects(db, orgId), limit: maxProjects },
      { name: 'mcpServers', used: await countServers(db, orgId), limit: maxServers },
    ],
  }
}
