import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useCall } from '../../app/calls.ts'
import { Badge } from '../../ui/badge.tsx'
import { Empty, ErrorNote, Loading } from '../../ui/notes.tsx'
import { Table } from '../../ui/table.tsx'
import { When } from '../../ui/times.tsx'

/** What assistants did last. */
export function Calls({ mcpServerId }: { mcpServerId: string }) {
  const { data, error } = useQuery({
    ...useCall('listMcpServerCalls', { mcpServerId }),
    refetchInterval: 3000,
  })
  if (error) return <ErrorNote error={error} />
  if (!data) return <Loading />
  if (data.length === 0) return <Empty title="No tool was called yet." />
  return (
    <Table
      label="Recent calls"
      rows={data}
      idOf={({ at, tool }) => at + tool}
      columns={[
        { title: 'Tool', cell: ({ tool }) => <span className="font-medium">{tool}</span> },
        {
          title: 'Outcome',
          cell: ({ outcome }) => <Badge look={outcome === 'done' ? 'good' : 'wrong'}>{outcome}</Badge>,
        },
        { title: 'Took', isNumber: true, isExtra: true, cell: ({ durationMs }) => `${durationMs} ms` },
        {
          title: 'Sandbox',
          isExtra: true,
          cell: ({ sandboxId }) =>
            sandboxId && (
              <Link to="/sandboxes/$sandboxId" params={{ sandboxId }} className="underline">
                {sandboxId.slice(0, 8)}
              </Link>
            ),
        },
        { title: 'When', cell: ({ at }) => <When at={at} /> },
      ]}
    />
  )
}
