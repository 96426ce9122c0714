import type { ClusterMember } from '@sandglass/protocol'
import { Badge } from '../../ui/badge.tsx'
import { Table } from '../../ui/table.tsx'
import { gib } from './resources.tsx'

const looks = { online: 'good', draining: 'warn', evacuated: 'warn', offline: 'wrong' } as const
const order = ['offline', 'evacuated', 'draining', 'online'] as const

/** How many members are listed. */
const maxListed = 50

/** The hosts of the clusters that a node uses, those that need attention first. */
export function Members({
  hostname,
  members,
}: {
  readonly hostname: string
  readonly members: readonly ClusterMember[]
}) {
  const sorted = members.toSorted((a, b) => order.indexOf(a.status) - order.indexOf(b.status))
  const online = members.filter(({ status }) => status === 'online').length
  return (
    <div className="flex flex-col gap-2">
      <p className="text-[13px] text-quiet">
        {online} of {members.length} cluster members are online
        {members.length > maxListed && `; the first ${maxListed} are listed`}
      </p>
      <Table
        label={`Cluster members of ${hostname}`}
        rows={sorted.slice(0, maxListed)}
        idOf={({ engine, name }) => `${engine} ${name}`}
        columns={[
          { title: 'Member', cell: ({ name }) => <span className="font-medium">{name}</span> },
          { title: 'State', cell: ({ status }) => <Badge look={looks[status]}>{status}</Badge> },
          { title: 'Machines', isNumber: true, cell: ({ machines }) => machines },
          { title: 'More fit', isNumber: true, cell: ({ fits }) => fits },
          {
            title: 'Free memory',
            isNumber: true,
            cell: ({ freeMemoryMiB }) => freeMemoryMiB !== undefined && gib(freeMemoryMiB),
          },
          {
            title: 'Free disk',
            isNumber: true,
            cell: ({ freeDiskMiB }) => freeDiskMiB !== undefined && gib(freeDiskMiB),
          },
          { title: 'Why', isExtra: true, cell: ({ reason }) => reason },
        ]}
      />
    </div>
  )
}
