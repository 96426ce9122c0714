import type { LiveSnapshot } from './live-model.ts'
import { Notice } from './notice.tsx'

/** Over the last picture while there is no newer one. */
export function Overlay({
  snapshot,
  onLeave,
}: {
  snapshot: LiveSnapshot
  onLeave: (() => void) | undefined
}) {
  const { state, machineIsThere, hasPicture } = snapshot
  const notice = (() => {
    if (state.kind === 'ended')
      return (
        <Notice title="The view has ended" detail={state.message}>
          {onLeave && (
            <button type="button" className="primary" onClick={onLeave}>
              Use another link
            </button>
          )}
        </Notice>
      )
    if (state.kind === 'reconnecting')
      return <Notice title="Connecting again" detail={state.message} isBusy />
    if (!machineIsThere)
      return (
        <Notice title="The machine is away" detail="It will be shown as soon as it is there again." isBusy />
      )
    return hasPicture ? undefined : <Notice title="Connecting" isBusy />
  })()
  return notice && <div className={hasPicture ? 'overlay veil' : 'overlay'}>{notice}</div>
}
