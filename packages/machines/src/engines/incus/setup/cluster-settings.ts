import { readServer } from './server.ts'
import type { SetupContext } from './setup-context.ts'

/** What a cluster must be told. A member is given up after 11 s, the shortest that Incus allows; the timeout is in minutes. */
export const clusterSettings: Readonly<Record<string, string>> = {
  'cluster.offline_threshold': '11',
  // A daemon that is stopped waits for what it is doing, which may never end when it led the database. It is as good as lost until then.
  'core.shutdown_timeout': '1',
  // Every member keeps every image, so that none is fetched while a machine is created.
  'cluster.images_minimal_replica': '-1',
  'images.auto_update_interval': '0',
}

/** Sets what differs, one by one: Incus 6.0 fails if several of them change at once, or before there is a cluster. */
export async function ensureClusterSettings({ incus, tell }: SetupContext): Promise<void> {
  const { config } = await readServer(incus)
  const different = Object.entries(clusterSettings).filter(([key, value]) => config[key] !== value)
  for (const [key, value] of different) {
    await incus.send('PATCH', '', { config: { [key]: value } })
    tell(`Set ${key} to ${value}.`)
  }
  if (different.length === 0) tell('The settings of the cluster are right.')
}
