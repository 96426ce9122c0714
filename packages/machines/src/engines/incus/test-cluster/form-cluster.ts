import { clusterSettings } from '../setup/cluster-settings.ts'
import type { TestMember } from './member.ts'

const pool = { name: 'sandglass', source: '/var/lib/incus/pool' }

/** Makes a cluster of members that are up: the first enables it, and the others join with a token each. */
export async function formCluster(members: readonly TestMember[], offlineThreshold: number): Promise<void> {
  const [first, ...others] = members
  if (!first) return
  await first.request('PATCH', '/1.0', { config: { 'core.https_address': `${first.address}:8443` } })
  await preseed(first, {
    cluster: { enabled: true, server_name: first.name },
    storage_pools: [{ name: pool.name, driver: 'btrfs', config: { source: pool.source } }],
  })
  // These settings need the cluster's database.
  const settings = { ...clusterSettings, 'cluster.offline_threshold': String(offlineThreshold) }
  for (const [key, value] of Object.entries(settings))
    await first.request('PATCH', '/1.0', { config: { [key]: value } })
  // Members join one after the other: each needs the others to agree.
  for (const member of others) {
    const printed = await first.run('incus', ['cluster', 'add', member.name, '--quiet'])
    await preseed(member, {
      cluster: {
        enabled: true,
        server_name: member.name,
        server_address: `${member.address}:8443`,
        cluster_token: printed.trim().split('\n').at(-1),
        member_config: [{ entity: 'storage-pool', name: pool.name, key: 'source', value: pool.source }],
      },
    })
  }
}

/** JSON is YAML too. */
async function preseed(member: TestMember, content: object): Promise<void> {
  await member.run('incus', ['admin', 'init', '--preseed'], { input: JSON.stringify(content) })
}
