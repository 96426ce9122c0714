import { useId } from 'react'
import type { LiveModel, LiveSnapshot } from './live-model.ts'
import { leaveKeys, whoHolds } from './words.ts'

/** Shows who is in control, what the agent is doing, and what this person can do about it. */
export function Control({ model, snapshot }: { model: LiveModel; snapshot: LiveSnapshot }) {
  const { state, lease, action, isAsking } = snapshot
  const hint = useId()
  if (state.kind !== 'live') return undefined
  const mayTake = state.scope.includes('input')
  const mayForce = state.scope.includes('force') && lease.holder.kind === 'person'
  const { isMine } = lease
  return (
    <div className="control">
      <span className="holder">
        <span aria-live="polite">{whoHolds(lease)}</span>
        {lease.holder.kind === 'agent' && action !== undefined && (
          <span className="doing" data-testid="action">
            {action}
          </span>
        )}
        {isMine && (
          <span className="doing keyboard-only" id={hint}>
            {leaveKeys()} releases the keyboard
          </span>
        )}
      </span>
      {!mayTake && <span className="badge">View only</span>}
      {/* One button for taking and handing back, so that the focus stays on it. */}
      {(mayTake || isMine) && (
        <button
          type="button"
          className="primary"
          aria-disabled={isAsking}
          aria-describedby={isMine ? hint : undefined}
          onClick={() => (isMine ? model.handBack() : isAsking || model.take())}
        >
          {isMine ? 'Hand back' : lease.holder.kind !== 'person' ? 'Take control' : 'Ask for control'}
        </button>
      )}
      {isAsking && (
        <span className="doing" role="status">
          Waiting for an answer
        </span>
      )}
      {mayForce && !isMine && (
        <button type="button" onClick={() => model.take({ force: true })}>
          Take over now
        </button>
      )}
    </div>
  )
}
