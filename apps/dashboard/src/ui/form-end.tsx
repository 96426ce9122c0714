import { Button } from './button.tsx'
import { ErrorNote } from './notes.tsx'
import { problemsOf } from './problems.ts'

/** The end of a form in a dialog: what is wrong with the whole, and the buttons. */
export function FormEnd({
  action,
  change,
  onClose,
}: {
  action: string
  change: { readonly error: Error | null; readonly isPending: boolean }
  onClose: () => void
}) {
  const { error, isPending } = change
  return (
    <>
      {error && Object.keys(problemsOf(error)).length === 0 && <ErrorNote error={error} />}
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="primary" disabled={isPending}>
          {action}
        </Button>
      </div>
    </>
  )
}
