import type { Sandbox } from '@sandglass/protocol'
import { useMay } from '../../../app/rights.ts'
import { Dialog } from '../../../ui/dialog.tsx'
import { Invitations } from './invitations.tsx'
import { NewInvitation } from './new-invitation.tsx'

/** Invitations to the live view of a sandbox: to make one, and to see and revoke those that are valid. */
export function SharingDialog({ sandbox, onClose }: { sandbox: Sandbox; onClose: () => void }) {
  const mayRevoke = useMay('member')
  return (
    <Dialog
      title="Share the screen"
      about="Whoever has the link of an invitation sees this sandbox in a browser, without an account."
      isOpen
      onClose={onClose}
      isWide
    >
      <div className="flex flex-col gap-6">
        <NewInvitation sandboxId={sandbox.id} />
        {mayRevoke && <Invitations sandboxId={sandbox.id} />}
      </div>
    </Dialog>
  )
}
