import { Button } from './button.tsx'
import { Code } from './copy.tsx'
import { Dialog } from './dialog.tsx'

/** Shows a secret that cannot be read again. */
export function OnceShown({
  title,
  secret,
  onClose,
}: {
  title: string
  secret: string | undefined
  onClose: () => void
}) {
  return (
    <Dialog
      title={title}
      about="Copy it now. It is not shown again."
      isOpen={secret !== undefined}
      onClose={onClose}
    >
      <Code label="Secret" text={secret ?? ''} />
      <div className="mt-4 flex justify-end">
        <Button look="primary" onClick={onClose}>
          I have copied it
        </Button>
      </div>
    </Dialog>
  )
}
