import type { Check } from '@sandglass/machines/contract'
import { clusterDoctor, IncusClient } from '@sandglass/machines/incus-setup'
import { SettingError, type SettingValues } from '../../setting-table.ts'
import { clientAddress } from './client-address.ts'
import type { incusSettings } from './settings.ts'

/** The checks of `npm run doctor` for the cluster of the settings. */
export async function checkCluster(
  values: SettingValues<typeof incusSettings>,
  dataDirectory: string,
): Promise<Check[]> {
  try {
    const address = await clientAddress(values, dataDirectory)
    if (address === undefined) return []
    const incus = new IncusClient(address)
    try {
      const { checks } = await clusterDoctor({
        incus,
        names: {
          project: values.SANDGLASS_INCUS_PROJECT,
          pool: values.SANDGLASS_INCUS_POOL,
          network: values.SANDGLASS_INCUS_NETWORK,
        },
      })
      return [...checks]
    } finally {
      incus.close()
    }
  } catch (error) {
    if (!(error instanceof SettingError)) throw error
    return [
      { name: 'cluster', result: 'fail', what: error.message, fix: 'npm run cluster -- init, on a member' },
    ]
  }
}
