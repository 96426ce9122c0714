import { useQuery } from '@tanstack/react-query'
import { useCall } from '../../app/calls.ts'
import { Badge } from '../../ui/badge.tsx'
import { Empty, ErrorNote, Loading } from '../../ui/notes.tsx'
import { useTitle } from '../../ui/page.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { exactTime } from '../../ui/times.tsx'
import { StateBadge, stateOf } from '../sandboxes/state.tsx'
import { LogTab } from './log/log-tab.tsx'
import { useShownTab } from './route.ts'
import { TimelineTab } from './timeline/timeline-tab.tsx'

/** What is known about a sandbox that has ended: what happened to it, and what was done in it. */
export function EndedSandbox({ sandboxId }: { sandboxId: string }) {
  const log = useQuery(useCall('listSandboxEvents', { sandboxId, order: 'newest', limit: 1 }))
  const listed = useQuery(useCall('listSandboxes', { ended: 'true', search: sandboxId }))
  const sandbox = listed.data?.find(({ id }) => id === sandboxId)
  const [shown, show] = useShownTab('log')
  useTitle(sandbox?.name ?? 'Sandbox')
  if (log.isPending || listed.isPending) return <Loading />
  if (log.error)
    return (
      <div className="p-4 md:p-6">
        <h1 className="sr-only">Sandbox</h1>
        <Empty title="There is no such sandbox.">It may have ended too long ago.</Empty>
      </div>
    )
  const tabs = [
    { id: 'log', title: 'Log', content: () => <LogTab sandboxId={sandboxId} /> },
    {
      id: 'timeline',
      title: 'Timeline',
      content: () => <TimelineTab sandboxId={sandboxId} isLive={false} />,
    },
  ]
  return (
    <div className="mx-auto flex w-full max-w-7xl flex-col gap-4 p-4 md:p-6">
      <header className="flex flex-col gap-1">
        <div className="flex flex-wrap items-center gap-2">
          <h1 className="truncate text-xl font-semibold">{sandbox?.name ?? 'Sandbox'}</h1>
          {sandbox ? <StateBadge sandbox={sandbox} /> : <Badge>Ended</Badge>}
        </div>
        {sandbox?.ended && (
          <p className="text-quiet">
            {stateOf(sandbox).why} {exactTime(sandbox.ended.at)}.
          </p>
        )}
        {listed.error && <ErrorNote error={listed.error} />}
      </header>
      <Tabs
        label="About this sandbox"
        tabs={tabs}
        shown={tabs.some(({ id }) => id === shown) ? shown : 'log'}
        onShow={show}
      />
    </div>
  )
}
