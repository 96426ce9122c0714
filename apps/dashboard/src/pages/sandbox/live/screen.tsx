import type { Connect } from '@sandglass/protocol'
import { useCallback } from 'react'
import { clientOf } from '../../../app/client.ts'
import { useOrgId, usePerson } from '../../../app/session.ts'
import { LivePanel } from '../../../view/live-panel.tsx'
import type { ShownSandbox } from '../live-sandbox.tsx'

/** The live view. It stays connected while other tabs are shown, so that a person keeps control. */
export function Screen({ sandbox, connectDetails }: { sandbox: ShownSandbox; connectDetails: Connect }) {
  const person = usePerson()
  const orgId = useOrgId()
  const { id: sandboxId } = sandbox
  const freshDetails = useCallback(
    async () => (await clientOf(orgId).getSandbox({ sandboxId })).connectDetails,
    [orgId, sandboxId],
  )
  return (
    <div className="h-[calc(100dvh-12rem)] min-h-80 overflow-hidden rounded-lg border border-line">
      <LivePanel
        connectDetails={connectDetails}
        freshDetails={freshDetails}
        name={person.name ?? ''}
        title={sandbox.name}
        expiresAt={sandbox.expiresAt}
        isCompact
      />
    </div>
  )
}
