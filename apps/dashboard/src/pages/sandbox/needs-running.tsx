import type { Sandbox } from '@sandglass/protocol'
import type { ReactNode } from 'react'
import { Empty } from '../../ui/notes.tsx'
import { stateOf } from '../sandboxes/state.tsx'
import { ResumeButton } from './header/resume-button.tsx'

/** Shows what needs a running machine, or why there is none. */
export function NeedsRunning({ sandbox, children }: { sandbox: Sandbox; children: ReactNode }) {
  if (sandbox.status === 'RUNNING') return children
  const { word, why } = stateOf(sandbox)
  return (
    <Empty title={`The sandbox is ${word.toLowerCase()}.`}>
      <div className="flex flex-col items-center gap-3">
        {why && <p>{why}</p>}
        <ResumeButton sandbox={sandbox} />
      </div>
    </Empty>
  )
}
