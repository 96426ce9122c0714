import { X } from 'lucide-react'
import { IconButton } from '../../../ui/icon-button.tsx'
import { size } from '../../../ui/sizes.ts'
import { forget, type Transfer, useTransfers } from './transfers.ts'

/** Uploads and downloads, and how far they are. */
export function TransferList({ sandboxId }: { sandboxId: string }) {
  const transfers = useTransfers(sandboxId)
  if (transfers.length === 0) return undefined
  return (
    <ul
      aria-label="Transfers"
      className="flex max-h-48 flex-col gap-1 overflow-y-auto rounded-lg border border-line bg-panel p-2"
    >
      {transfers.map(each => (
        <li key={each.id} className="flex items-center gap-3">
          <span className="min-w-0 flex-1 truncate">{each.title}</span>
          <Far transfer={each} />
          <IconButton
            label={
              each.state === 'running' || each.state === 'waiting'
                ? `Cancel ${each.title}`
                : `Dismiss ${each.title}`
            }
            size="small"
            className="size-8"
            onClick={() =>
              each.state === 'running' || each.state === 'waiting' ? each.cancel() : forget(each.id)
            }
          >
            <X />
          </IconButton>
        </li>
      ))}
    </ul>
  )
}

function Far({ transfer: { state, problem, doneBytes, totalBytes, title } }: { transfer: Transfer }) {
  if (state === 'failed')
    return (
      <span role="alert" className="text-wrong">
        {problem}
      </span>
    )
  if (state === 'done')
    return (
      <span role="status" className="text-good">
        Done
      </span>
    )
  return (
    <>
      <progress
        aria-label={title}
        className="w-28 accent-accent"
        max={totalBytes}
        value={totalBytes === undefined ? undefined : doneBytes}
      />
      <span className="w-20 text-right text-[13px] text-quiet tabular-nums">{size(doneBytes)}</span>
    </>
  )
}
