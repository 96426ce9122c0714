import { useState } from 'react'
import { Dialog } from '../../../ui/dialog.tsx'
import { Empty } from '../../../ui/notes.tsx'

/** A screenshot in its full size. */
export function ShotDialog({ url, title, onClose }: { url: string; title: string; onClose: () => void }) {
  const [isGone, setGone] = useState(false)
  return (
    <Dialog title={title} isOpen onClose={onClose} isWide>
      {isGone ? (
        <Empty title="This screenshot is not kept any more." />
      ) : (
        <img
          src={url}
          alt={`The screen after ${title}`}
          onError={() => setGone(true)}
          className="w-full rounded-md border border-line"
        />
      )}
    </Dialog>
  )
}
