import { type ErrorComponentProps, Link } from '@tanstack/react-router'
import { Button } from '../ui/button.tsx'
import { Empty, ErrorNote } from '../ui/notes.tsx'
import { useTitle } from '../ui/page.tsx'

export function NotFound() {
  useTitle('Not found')
  return (
    <main className="p-6">
      <Empty title="There is no such page.">
        <Link to="/" className="underline">
          To the sandboxes
        </Link>
      </Empty>
    </main>
  )
}

/** A page that could not be shown. */
export function Wrong({ error, reset }: ErrorComponentProps) {
  return (
    <div className="mx-auto flex max-w-xl flex-col gap-3 p-6">
      <ErrorNote error={error} />
      <div>
        <Button onClick={reset}>Try again</Button>
      </div>
    </div>
  )
}
