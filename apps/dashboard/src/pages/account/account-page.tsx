import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useCall, useChange } from '../../app/calls.ts'
import { forgetPerson, usePerson } from '../../app/session.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { ErrorNote, Loading } from '../../ui/notes.tsx'
import { Page } from '../../ui/page.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Table } from '../../ui/table.tsx'
import { When } from '../../ui/times.tsx'
import { Notifications } from './notifications.tsx'

const kinds = { apiKey: 'API key', user: 'Person', trialToken: 'Trial token', operator: 'Operator key' }

/** Who is signed in, and in which browsers. */
export function AccountPage() {
  const person = usePerson()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const { data, error } = useQuery(useCall('listSessions'))
  const end = useChange('endSession', ['listSessions'])
  const leave = async () => {
    forgetPerson(queries)
    await navigate({ to: '/sign-in' })
  }
  return (
    <Page title="Account">
      <Panel>
        <dl className="grid grid-cols-[8rem_minmax(0,1fr)] gap-y-1.5">
          <dt className="text-quiet">{kinds[person.kind]}</dt>
          <dd className="break-words">{person.name ?? person.id}</dd>
          {person.organization && (
            <>
              <dt className="text-quiet">Organization</dt>
              <dd className="break-words">
                {person.organization.name}{' '}
                <code className="text-[13px] text-quiet">{person.organization.id}</code>
              </dd>
            </>
          )}
          {person.role && (
            <>
              <dt className="text-quiet">Role</dt>
              <dd>{person.role}</dd>
            </>
          )}
          {person.expiresAt && (
            <>
              <dt className="text-quiet">Expires</dt>
              <dd>
                <When at={person.expiresAt} />
              </dd>
            </>
          )}
        </dl>
      </Panel>
      <Notifications />
      <h2 className="text-lg font-semibold">Where you are signed in</h2>
      {(error ?? end.error) && <ErrorNote error={error ?? end.error} />}
      {!data && !error && <Loading />}
      {data && (
        <Table
          label="Sessions"
          rows={data}
          idOf={({ id }) => id}
          columns={[
            {
              title: 'Browser',
              cell: ({ userAgent, isCurrent }) => (
                <>
                  {browserOf(userAgent)} {isCurrent && <Badge look="accent">this one</Badge>}
                </>
              ),
            },
            { title: 'From', cell: ({ address }) => address },
            { title: 'Last used', isExtra: true, cell: ({ lastUsedAt }) => <When at={lastUsedAt} /> },
            { title: 'Ends', isExtra: true, cell: ({ expiresAt }) => <When at={expiresAt} /> },
            {
              title: 'Actions',
              cell: ({ id, isCurrent }) => (
                <Button
                  look="danger"
                  size="small"
                  disabled={end.isPending}
                  onClick={() => end.mutate({ sessionId: id }, isCurrent ? { onSuccess: leave } : {})}
                >
                  Sign out
                </Button>
              ),
            },
          ]}
        />
      )}
    </Page>
  )
}

/** What people call the browser, if it is a common one. */
function browserOf(userAgent: string | null): string {
  const [name] = /Firefox|Edg|OPR|Chrome|Safari|curl/.exec(userAgent ?? '') ?? []
  const [system] = /Windows|Android|iPhone|iPad|Mac OS|Linux/.exec(userAgent ?? '') ?? []
  const names: Readonly<Record<string, string>> = { Edg: 'Edge', OPR: 'Opera' }
  if (!name) return 'A browser'
  return `${names[name] ?? name}${system ? ` on ${system}` : ''}`
}
