import { useInfiniteQuery } from '@tanstack/react-query'
import { clientOf } from '../../../app/client.ts'
import { useOrgId } from '../../../app/session.ts'
import { ErrorNote, Loading } from '../../../ui/notes.tsx'
import { OlderButton } from '../older-button.tsx'
import { LogEntry } from './log-entry.tsx'

/** What happened to the sandbox, the newest first. New events appear by themselves. */
export function LogTab({ sandboxId }: { sandboxId: string }) {
  const orgId = useOrgId()
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery({
    // The operation comes first, so that it is read again after an event.
    queryKey: ['listSandboxEvents', orgId, sandboxId],
    queryFn: ({ pageParam, signal }) =>
      clientOf(orgId).listSandboxEvents(
        { sandboxId, order: 'newest', limit: 100, ...(pageParam !== null && { cursor: pageParam }) },
        { signal },
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
  })
  if (error && !data) return <ErrorNote error={error} />
  if (!data) return <Loading />
  return (
    <div className="flex flex-col gap-4">
      <ol aria-label="Log" aria-live="polite" className="rounded-lg border border-line bg-panel">
        {data.pages
          .flatMap(({ events }) => events)
          .map(event => (
            <LogEntry key={event.id} event={event} />
          ))}
      </ol>
      <OlderButton hasMore={hasNextPage} isReading={isFetchingNextPage} onRead={() => void fetchNextPage()} />
    </div>
  )
}
