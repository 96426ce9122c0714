import { useMay } from '../../app/rights.ts'
import { usePerson } from '../../app/session.ts'
import type { Tab } from '../../ui/tabs.tsx'
import { ApplicationsTab } from './applications/applications-tab.tsx'
import { ConnectionTab } from './connection/connection-tab.tsx'
import { FiguresTab } from './figures/figures-tab.tsx'
import { FilesTab } from './files/files-tab.tsx'
import type { ShownSandbox } from './live-sandbox.tsx'
import { LogTab } from './log/log-tab.tsx'
import { NeedsRunning } from './needs-running.tsx'
import { PortsTab } from './ports/ports-tab.tsx'
import { SnapshotsTab } from './snapshots/snapshots-tab.tsx'
import { TerminalTab } from './terminal/terminal-tab.tsx'
import { TimelineTab } from './timeline/timeline-tab.tsx'

/** What can be seen of a sandbox besides its screen, by this person and for this kind of machine. */
export function useTabs(sandbox: ShownSandbox): readonly Tab[] {
  const mayUse = useMay('member')
  const { kind } = usePerson()
  const isPhone = sandbox.shape.os === 'Android'
  const { id: sandboxId } = sandbox
  const tabs: readonly (Tab & { readonly isFor?: boolean })[] = [
    {
      id: 'terminal',
      title: 'Terminal',
      isFor: mayUse,
      content: () => (
        <NeedsRunning sandbox={sandbox}>
          <TerminalTab sandboxId={sandboxId} isPhone={isPhone} />
        </NeedsRunning>
      ),
    },
    {
      id: 'files',
      title: 'Files',
      isFor: mayUse,
      content: () => (
        <NeedsRunning sandbox={sandbox}>
          <FilesTab sandboxId={sandboxId} isPhone={isPhone} />
        </NeedsRunning>
      ),
    },
    { id: 'ports', title: 'Ports', isFor: mayUse, content: () => <PortsTab sandboxId={sandboxId} /> },
    {
      id: 'applications',
      title: 'Applications',
      isFor: !isPhone,
      content: () => <ApplicationsTab sandbox={sandbox} />,
    },
    {
      id: 'snapshots',
      title: 'Snapshots',
      isFor: !isPhone && kind !== 'trialToken',
      content: () => <SnapshotsTab sandbox={sandbox} />,
    },
    { id: 'timeline', title: 'Timeline', content: () => <TimelineTab sandboxId={sandboxId} isLive /> },
    {
      id: 'figures',
      title: 'Figures',
      content: () => (
        <NeedsRunning sandbox={sandbox}>
          <FiguresTab sandboxId={sandboxId} />
        </NeedsRunning>
      ),
    },
    { id: 'connection', title: 'Connection', content: () => <ConnectionTab sandbox={sandbox} /> },
    { id: 'log', title: 'Log', content: () => <LogTab sandboxId={sandboxId} /> },
  ]
  return tabs.filter(({ isFor = true }) => isFor)
}
