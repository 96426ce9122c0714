import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { clientOf } from '../../../app/client.ts'
import { useOrgId } from '../../../app/session.ts'
import { Empty, ErrorNote, Loading } from '../../../ui/notes.tsx'
import { OlderButton } from '../older-button.tsx'
import { ActionEntry } from './action-entry.tsx'
import { ShotDialog } from './shot-dialog.tsx'

const everyMs = 3000
const perPage = 50

/** Every action in the sandbox, the newest first: who did it, with which arguments, and what the screen showed then. */
export function TimelineTab({ sandboxId, isLive }: { sandboxId: string; isLive: boolean }) {
  const orgId = useOrgId()
  const [shot, setShot] = useState<{ readonly url: string; readonly title: string }>()
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: ['listSandboxActions', orgId, sandboxId],
    queryFn: ({ pageParam, signal }) =>
      clientOf(orgId).listSandboxActions(
        { sandboxId, limit: perPage, ...(pageParam !== null && { cursor: pageParam }) },
        { signal },
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    refetchInterval: isLive ? everyMs : false,
  })
  if (error && !data) return <ErrorNote error={error} />
  if (!data) return <Loading />
  const actions = data.pages.flatMap(page => page.actions)
  if (actions.length === 0)
    return (
      <Empty title="Nothing was done in this sandbox yet.">
        Clicks, keys and other actions of agents appear here with their screenshots.
      </Empty>
    )
  return (
    <div className="flex flex-col gap-4">
      <ol aria-label="Timeline" className="rounded-lg border border-line bg-panel">
        {actions.map(action => (
          <ActionEntry key={action.id} action={action} onShow={setShot} />
        ))}
      </ol>
      <OlderButton hasMore={hasNextPage} isReading={isFetchingNextPage} onRead={() => void fetchNextPage()} />
      {shot && <ShotDialog {...shot} onClose={() => setShot(undefined)} />}
    </div>
  )
}
