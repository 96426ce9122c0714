import { TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { messageOf } from './problems.ts'

/** Says what went wrong. */
export function ErrorNote({ error }: { error: unknown }) {
  return (
    <div role="alert" className="flex items-start gap-2 rounded-md bg-wrong-soft px-3 py-2 text-wrong">
      <TriangleAlert className="mt-0.5 size-4 shrink-0" aria-hidden="true" />
      <p className="min-w-0 break-words">{messageOf(error)}</p>
    </div>
  )
}

/** What stands where nothing is yet. */
export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="flex flex-col items-center gap-3 rounded-lg border border-dashed border-line-strong px-4 py-12 text-center">
      <p className="font-medium">{title}</p>
      {children && <div className="max-w-prose text-quiet">{children}</div>}
    </div>
  )
}

/** What stands where something is being read. */
export function Loading({ what = 'Loading' }: { what?: string }) {
  return (
    <p role="status" className="py-8 text-center text-quiet">
      {what}…
    </p>
  )
}
