import { NotFoundError } from '@sandglass/client'
import { useQuery } from '@tanstack/react-query'
import { useCall } from '../../app/calls.ts'
import { ErrorNote, Loading } from '../../ui/notes.tsx'
import { EndedSandbox } from './ended-sandbox.tsx'
import { LiveSandbox } from './live-sandbox.tsx'
import { route } from './route.ts'

/** The page of one sandbox, also of one that has ended. */
export function SandboxPage() {
  const { sandboxId } = route.useParams()
  const { data, error } = useQuery(useCall('getSandbox', { sandboxId }))
  if (error instanceof NotFoundError) return <EndedSandbox key={sandboxId} sandboxId={sandboxId} />
  if (data) return <LiveSandbox key={sandboxId} {...data} />
  return <div className="p-4 md:p-6">{error ? <ErrorNote error={error} /> : <Loading />}</div>
}
