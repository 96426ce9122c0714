import { Person } from './icons.tsx'
import type { LiveSnapshot } from './live-model.ts'

/** What the agent asks a person to do, above the screen until control is handed back. */
export function Request({ snapshot: { state, lease } }: { snapshot: LiveSnapshot }) {
  if (state.kind !== 'live' || lease.message === undefined) return undefined
  return (
    <div className="request" role="alert">
      <Person />
      <p>
        <strong>A person is needed</strong>
        <span>{lease.message}</span>
      </p>
      {lease.isMine && <p className="then">Hand back when you are done.</p>}
    </div>
  )
}
