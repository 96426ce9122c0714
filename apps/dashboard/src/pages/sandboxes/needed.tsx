import type { Sandbox } from '@sandglass/protocol'
import { Link } from '@tanstack/react-router'
import { Hand } from 'lucide-react'
import { Button } from '../../ui/button.tsx'

/** The sandboxes whose agents have asked for a person, where nobody can overlook them. */
export function Needed({ sandboxes }: { sandboxes: readonly Sandbox[] }) {
  const needed = sandboxes.filter(({ personNeeded }) => personNeeded)
  return (
    <div aria-live="polite" className="flex flex-col gap-2 empty:hidden">
      {needed.map(({ id, name, personNeeded }) => (
        <div
          key={id}
          className="flex flex-wrap items-center gap-3 rounded-lg border border-warn bg-warn-soft px-4 py-3 text-warn"
        >
          <Hand className="size-5 shrink-0" aria-hidden="true" />
          <div className="min-w-0 flex-1">
            <p className="font-semibold">A person is needed in {name}</p>
            {personNeeded?.message && <p className="break-words">{personNeeded.message}</p>}
          </div>
          <Button asChild look="primary">
            <Link to="/sandboxes/$sandboxId" params={{ sandboxId: id }}>
              Open
            </Link>
          </Button>
        </div>
      ))}
    </div>
  )
}
