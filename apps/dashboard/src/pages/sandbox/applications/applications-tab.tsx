import type { Sandbox } from '@sandglass/protocol'
import { useQuery } from '@tanstack/react-query'
import { useCall } from '../../../app/calls.ts'
import { ErrorNote, Loading } from '../../../ui/notes.tsx'
import { ApplicationRow } from './application-row.tsx'
import { isBusy } from './progress.ts'

const everyMs = 2000

/** The catalogue of applications, and what became of those that were installed. */
export function ApplicationsTab({ sandbox }: { sandbox: Sandbox }) {
  const { id: sandboxId } = sandbox
  const catalogue = useQuery(useCall('listApplications'))
  const installed = useQuery({
    ...useCall('listSandboxApplications', { sandboxId }),
    refetchInterval: ({ state }) => (state.data?.some(isBusy) ? everyMs : false),
  })
  const error = catalogue.error ?? installed.error
  if (error) return <ErrorNote error={error} />
  if (!catalogue.data || !installed.data) return <Loading />
  return (
    <ul className="grid gap-3 md:grid-cols-2" aria-label="Applications">
      {catalogue.data.map(application => (
        <ApplicationRow
          key={application.id}
          sandbox={sandbox}
          application={application}
          installation={installed.data.find(({ appId }) => appId === application.id)}
        />
      ))}
    </ul>
  )
}
