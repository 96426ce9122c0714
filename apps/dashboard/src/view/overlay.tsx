import type { LiveSnapshot } from './live-model.ts'
import { Notice } from './notice.tsx'
import { absenceOf, endingOf, interruptionOf } from './reasons.ts'

/** A notice over the last picture while there is no newer one. */
export function Overlay({
  snapshot,
  onLeave,
}: {
  snapshot: LiveSnapshot
  onLeave: (() => void) | undefined
}) {
  const { state, changedAt, sandbox, machineIsThere, hasPicture } = snapshot
  const notice = (() => {
    if (state.kind === 'ended')
      return (
        <Notice {...endingOf(state, changedAt, sandbox)}>
          {onLeave && (
            <button type="button" className="primary" onClick={onLeave}>
              Use another link
            </button>
          )}
        </Notice>
      )
    if (state.kind === 'reconnecting') return <Notice {...interruptionOf(state.code)} isBusy />
    if (!machineIsThere) return <Notice {...absenceOf(sandbox)} />
    return hasPicture ? undefined : <Notice title="Connecting" isBusy />
  })()
  return notice && <div className={hasPicture ? 'overlay veil' : 'overlay'}>{notice}</div>
}
