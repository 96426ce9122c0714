import { CalendarClock, Pause, Share2 } from 'lucide-react'
import { useState } from 'react'
import { useMay } from '../../../app/rights.ts'
import { Badge } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { useProjectNames } from '../../sandboxes/project-names.ts'
import { ControlBadge, Labels, StateBadge, stateOf, TimeLeft } from '../../sandboxes/state.tsx'
import type { ShownSandbox } from '../live-sandbox.tsx'
import { SharingDialog } from '../sharing/sharing-dialog.tsx'
import { ExtendDialog } from './extend-dialog.tsx'
import { MoreMenu } from './more-menu.tsx'
import { ResumeButton } from './resume-button.tsx'
import { useSandboxChange } from './use-sandbox-change.ts'
import { Viewers } from './viewers.tsx'

/** What is most important about a sandbox, and what can be done with it. */
export function SandboxHeader({ sandbox }: { sandbox: ShownSandbox }) {
  const { why } = stateOf(sandbox)
  const project = useProjectNames().get(sandbox.projectId)
  const { personNeeded } = sandbox
  return (
    <header className="flex flex-col gap-2">
      <div className="flex flex-wrap items-start justify-between gap-3">
        <div className="flex min-w-0 flex-wrap items-center gap-2">
          <h1 className="max-w-full truncate text-xl font-semibold">{sandbox.name}</h1>
          <span role="status" className="inline-flex flex-wrap gap-2">
            <StateBadge sandbox={sandbox} />
            <ControlBadge sandbox={sandbox} />
            {sandbox.control === 'agent' && sandbox.status === 'RUNNING' && (
              <Badge>The agent is in control</Badge>
            )}
          </span>
          <Viewers sandbox={sandbox} />
        </div>
        <Actions sandbox={sandbox} />
      </div>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1 text-quiet">
        <TimeLeft sandbox={sandbox} />
        {project !== undefined && <span>Project {project}</span>}
        <span>{sandbox.shapeName}</span>
        <Labels labels={sandbox.labels} />
      </div>
      {why && <p className="text-quiet">{why}</p>}
      {personNeeded && (
        <p role="alert" className="rounded-md bg-warn-soft px-3 py-2 font-medium text-warn">
          The agent asks for a person{personNeeded.message ? `: ${personNeeded.message}` : '.'}
        </p>
      )}
    </header>
  )
}

function Actions({ sandbox }: { sandbox: ShownSandbox }) {
  const mayUse = useMay('member')
  const [dialog, setDialog] = useState<'extend' | 'share'>()
  const pause = useSandboxChange('pauseSandbox')
  const close = () => setDialog(undefined)
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Button onClick={() => setDialog('share')}>
        <Share2 />
        Share
      </Button>
      {mayUse && (
        <Button onClick={() => setDialog('extend')}>
          <CalendarClock />
          Extend
        </Button>
      )}
      {mayUse && sandbox.status === 'RUNNING' && (
        <Button disabled={pause.isPending} onClick={() => pause.mutate({ sandboxId: sandbox.id })}>
          <Pause />
          Pause
        </Button>
      )}
      <ResumeButton sandbox={sandbox} />
      {mayUse && <MoreMenu sandbox={sandbox} />}
      {dialog === 'extend' && <ExtendDialog sandbox={sandbox} onClose={close} />}
      {dialog === 'share' && <SharingDialog sandbox={sandbox} onClose={close} />}
    </div>
  )
}
