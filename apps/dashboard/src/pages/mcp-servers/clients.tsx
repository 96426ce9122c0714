import { useQuery } from '@tanstack/react-query'
import { useCall } from '../../app/calls.ts'
import { Empty, ErrorNote, Loading } from '../../ui/notes.tsx'
import { Table } from '../../ui/table.tsx'
import { When } from '../../ui/times.tsx'

/** The assistants that are connected. */
export function Clients({ mcpServerId }: { mcpServerId: string }) {
  const { data, error } = useQuery({
    ...useCall('listMcpServerClients', { mcpServerId }),
    refetchInterval: 5000,
  })
  if (error) return <ErrorNote error={error} />
  if (!data) return <Loading />
  if (data.length === 0) return <Empty title="No assistant is connected." />
  return (
    <Table
      label="Connected clients"
      rows={data}
      idOf={({ id }) => id}
      columns={[
        { title: 'Client', cell: ({ name, version }) => `${name ?? 'unknown'} ${version ?? ''}` },
        { title: 'Protocol', isExtra: true, cell: ({ protocolVersion }) => protocolVersion },
        { title: 'Connected', isExtra: true, cell: ({ connectedAt }) => <When at={connectedAt} /> },
        {
          title: 'Last call',
          cell: ({ lastCallAt }) => (lastCallAt ? <When at={lastCallAt} /> : 'none yet'),
        },
      ]}
    />
  )
}
