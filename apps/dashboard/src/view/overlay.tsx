import type { LiveSnapshot } from './live-model.ts'
import { Notice } from './notice.tsx'
import { endingOf, interruptionOf } from './reasons.ts'

/** A notice over the last picture while there is no newer one. */
export function Overlay({
  snapshot,
  onLeave,
}: {
  snapshot: LiveSnapshot
  onLeave: (() => void) | undefined
}) {
  const { state, changedAt, machineIsThere, hasPicture } = snapshot
  const notice = (() => {
    if (state.kind === 'ended')
      return (
        <Notice {...endingOf(state.code, changedAt)}>
          {onLeave && (
            <button type="button" className="primary" onClick={onLeave}>
              Use another link
            </button>
          )}
        </Notice>
      )
    if (state.kind === 'reconnecting')
      return <Notice title="Reconnecting" detail={interruptionOf(state.code)} isBusy />
    if (!machineIsThere)
      return (
        <Notice
          title="The machine is restarting"
          detail="Its screen returns as soon as it is ready."
          isBusy
        />
      )
    return hasPicture ? undefined : <Notice title="Connecting" isBusy />
  })()
  return notice && <div className={hasPicture ? 'overlay veil' : 'overlay'}>{notice}</div>
}
