import type { ShapeOffer } from '@sandglass/host'
import type { IncusEngine } from '@sandglass/machines/incus'
import type { SettingValues } from '../../setting-table.ts'
import type { Settings } from '../../settings.ts'
import { defineEngine } from '../engine-definition.ts'
import { optionsOf as localOptionsOf } from '../local/definition.ts'
import { localSettings } from '../local/settings.ts'
import { requireRuntimes } from '../require-runtimes.ts'
import { incusSettings } from './settings.ts'

/** Only a process with a cluster loads what talks to it. */
const loadEngine = () => import('@sandglass/machines/incus')

/** The engine for machines in a cluster of Incus. */
export const incus = defineEngine({
  name: 'incus',
  settings: incusSettings,
  load: loadEngine,
  shared: localSettings,
  setUp: (values, settings) => ({
    disabled:
      values.SANDGLASS_INCUS === undefined
        ? 'This process uses no cluster (SANDGLASS_INCUS is not set).'
        : undefined,
    isInstalled: false,
    configure: async ({ shapes }) => {
      const { instanceKinds } = await loadEngine()
      requireRuntimes(shapes, 'incus', instanceKinds)
      return async () => {
        const engine = await openIncusEngine(values, settings)
        return { engine, offer: async () => offer, prepared: Promise.resolve(), close: () => engine.close() }
      }
    },
    doctor: async () => {
      const { checkCluster } = await import('./check-cluster.ts')
      return await checkCluster(values, settings.SANDGLASS_DATA)
    },
    // Its machines are on other hosts, and stay there.
    findExisting: async () => undefined,
  }),
})

/** Opens the engine of the settings. */
export async function openIncusEngine(
  values: SettingValues<typeof incusSettings & typeof localSettings>,
  settings: Settings,
): Promise<IncusEngine> {
  const [{ IncusEngine }, { clientAddress }] = await Promise.all([
    loadEngine(),
    import('./client-address.ts'),
  ])
  const address = await clientAddress(values, settings.SANDGLASS_DATA)
  if (!address) throw new Error('SANDGLASS_INCUS is not set.')
  const { SANDGLASS_INCUS_GROUP: group } = values
  const { imagesDir, readyTimeoutMs } = localOptionsOf(values, settings)
  return await IncusEngine.open({
    address,
    project: values.SANDGLASS_INCUS_PROJECT,
    pool: values.SANDGLASS_INCUS_POOL,
    network: values.SANDGLASS_INCUS_NETWORK,
    ...(group !== undefined && { group }),
    isPreparing: values.SANDGLASS_INCUS_PREPARE,
    resolvers: values.SANDGLASS_INCUS_DNS,
    imagesDir,
    readyTimeoutMs,
  })
}

const offer: ShapeOffer = {
  shapes: [
    {
      name: 'linux-cluster',
      description: 'A Linux desktop in the cluster.',
      os: 'Linux',
      virtualization: 'Container',
      image: 'desktop',
      cpus: 2,
      memoryMiB: 2048,
      diskMiB: 8192,
    },
  ],
}
