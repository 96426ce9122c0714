import type { Sandbox } from '@sandglass/protocol'
import type { ReactNode } from 'react'
import { stateOf } from '../../sandbox/state.tsx'
import { Empty } from '../../ui/notes.tsx'
import { ResumeButton } from './header/resume-button.tsx'

/** Shows what needs a running machine, or why there is none. */
export function NeedsRunning({ sandbox, children }: { sandbox: Sandbox; children: ReactNode }) {
  if (sandbox.status === 'RUNNING') return children
  const { title, detail } = stateOf(sandbox)
  return (
    <Empty title={`The sandbox is ${title.toLowerCase()}.`}>
      <div className="flex flex-col items-center gap-3">
        {detail && <p>{detail}</p>}
        <ResumeButton sandbox={sandbox} />
      </div>
    </Empty>
  )
}
