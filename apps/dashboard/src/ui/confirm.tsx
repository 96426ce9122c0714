import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { ErrorNote } from './notes.tsx'

/** Asks before something is done that cannot be undone. */
export function Confirm({
  title,
  about,
  action,
  isOpen,
  isBusy,
  error,
  onClose,
  onConfirm,
}: {
  title: string
  about: string
  action: string
  isOpen: boolean
  isBusy?: boolean
  error?: unknown
  onClose: () => void
  onConfirm: () => void
}) {
  return (
    <Dialog title={title} about={about} isOpen={isOpen} onClose={onClose}>
      {error !== undefined && error !== null && <ErrorNote error={error} />}
      <div className="mt-2 flex justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button look="danger" disabled={isBusy} onClick={onConfirm}>
          {action}
        </Button>
      </div>
    </Dialog>
  )
}
