import { useQuery } from '@tanstack/react-query'
import { useCall, useChange } from '../../app/calls.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { ErrorNote, Loading } from '../../ui/notes.tsx'
import { Table } from '../../ui/table.tsx'
import { When } from '../../ui/times.tsx'

/** The sessions of all people of the organization. */
export function OrganizationSessions() {
  const { data, error } = useQuery(useCall('listOrganizationSessions'))
  const end = useChange('endOrganizationSession', ['listOrganizationSessions'])
  if (error) return <ErrorNote error={error} />
  if (!data) return <Loading />
  return (
    <div className="flex flex-col gap-3">
      {end.error && <ErrorNote error={end.error} />}
      <Table
        label="Sessions"
        rows={data}
        idOf={({ id }) => id}
        columns={[
          {
            title: 'Who',
            cell: ({ holder, isCurrent }) => (
              <span className="font-medium">
                {holder.name ?? holder.id} {isCurrent && <Badge look="accent">you, here</Badge>}
              </span>
            ),
          },
          { title: 'From', isExtra: true, cell: ({ address }) => address },
          { title: 'Signed in', cell: ({ createdAt }) => <When at={createdAt} /> },
          { title: 'Ends', isExtra: true, cell: ({ expiresAt }) => <When at={expiresAt} /> },
          {
            title: 'Actions',
            cell: ({ id }) => (
              <Button
                look="danger"
                size="small"
                disabled={end.isPending}
                onClick={() => end.mutate({ sessionId: id })}
              >
                Sign out
              </Button>
            ),
          },
        ]}
      />
    </div>
  )
}
