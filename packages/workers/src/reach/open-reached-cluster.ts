import type { Machine } from '@sandglass/machines/contract'
import { type ClusterDetails, openClusterMachine } from '@sandglass/machines/incus'
import { z } from 'zod'
import type { ReachedMachine } from './openers.ts'

const Details = z.object({
  screen: z.object({ width: z.number(), height: z.number() }),
}) satisfies z.ZodType<ClusterDetails>

/** Opens a machine of a cluster in a worker. Calls to one that is paused are refused before they reach a worker. */
export async function openReachedCluster({ handle, details, dial }: ReachedMachine): Promise<Machine> {
  const { screen: screenSize } = Details.parse(details)
  return await openClusterMachine({ handle, screenSize, dial, isAwake: async () => true, onClose: () => {} })
}
