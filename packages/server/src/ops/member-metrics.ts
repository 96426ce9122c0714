import { Gauge, type Registry } from 'prom-client'
import { clustersOf } from '../machines/clusters.ts'
import type { Engines } from '../machines/engines.ts'

const statuses = ['online', 'draining', 'evacuated', 'offline'] as const

/** Reports the members of the clusters that this node uses. An engine that is down is left out. */
export function reportMembers(engines: Engines, registry: Registry): void {
  new Gauge({
    name: 'sandglass_cluster_members',
    help: 'Members of the clusters that this node uses, by engine and status.',
    labelNames: ['engine', 'status'] as const,
    registers: [registry],
    async collect() {
      this.reset()
      for (const { engine, members } of await clustersOf(engines))
        for (const status of statuses)
          this.set({ engine, status }, members.filter(member => member.status === status).length)
    },
  })
  new Gauge({
    name: 'sandglass_cluster_member_machines',
    help: 'Machines of all nodes on each member of the clusters that this node uses.',
    labelNames: ['engine', 'member'] as const,
    registers: [registry],
    async collect() {
      this.reset()
      for (const { engine, members } of await clustersOf(engines))
        for (const { name, machines } of members) this.set({ engine, member: name }, machines)
    },
  })
}
