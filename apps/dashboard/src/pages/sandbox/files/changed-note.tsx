import { Button } from '../../../ui/button.tsx'

/** Somebody else has changed the file that is open. */
export function ChangedNote({ onOverwrite, onReload }: { onOverwrite: () => void; onReload: () => void }) {
  return (
    <div
      role="alert"
      className="flex flex-wrap items-center justify-between gap-2 bg-warn-soft px-3 py-2 text-warn"
    >
      <p>The file was changed in the machine meanwhile. It is not saved.</p>
      <span className="flex gap-2">
        <Button size="small" onClick={onReload}>
          Read it again
        </Button>
        <Button size="small" look="danger" onClick={onOverwrite}>
          Overwrite it
        </Button>
      </span>
    </div>
  )
}
