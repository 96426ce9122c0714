import { useState } from 'react'
import { Eye } from './icons.tsx'
import type { LiveSnapshot } from './live-model.ts'
import { watchersOf } from './words.ts'

/** Who else is watching; nothing if nobody is. */
export function Watchers({ snapshot: { state, viewers } }: { snapshot: LiveSnapshot }) {
  const [isOpen, setOpen] = useState(false)
  const others = viewers.count - 1
  if (state.kind !== 'live' || others < 1) return undefined
  const label = others === 1 ? '1 other person is watching' : `${others} other people are watching`
  return (
    <div className="watchers">
      <button
        type="button"
        className="quiet"
        title={label}
        aria-label={label}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <Eye />
        {others}
      </button>
      {isOpen && (
        <ul className="popup" aria-label="Also watching">
          {watchersOf(viewers).map((name, index) => (
            // Two people may have the same name.
            // biome-ignore lint/suspicious/noArrayIndexKey: the list is shown as it is, and has no state.
            <li key={index}>{name}</li>
          ))}
        </ul>
      )}
    </div>
  )
}
