import type { LiveLease } from '@sandglass/live'
import type { LiveModel, LiveSnapshot } from './live-model.ts'

/** Shows who is in control and what this person can do about it. */
export function Control({ model, snapshot }: { model: LiveModel; snapshot: LiveSnapshot }) {
  const { state, lease } = snapshot
  if (state.kind !== 'live') return undefined
  const { view } = model
  const mayTake = state.scope.includes('input')
  const mayForce = state.scope.includes('force') && lease.holder.kind === 'person'
  return (
    <div className="control">
      <span className="holder" aria-live="polite">
        {whoHolds(lease)}
      </span>
      {!mayTake && <span className="badge">View only</span>}
      {lease.isMine && (
        <button type="button" className="primary" onClick={() => view.handBack()}>
          Hand back
        </button>
      )}
      {mayTake && !lease.isMine && (
        <button type="button" className="primary" onClick={() => view.take()}>
          {lease.holder.kind === 'person' ? 'Ask for control' : 'Take control'}
        </button>
      )}
      {mayForce && !lease.isMine && (
        <button type="button" onClick={() => view.take({ force: true })}>
          Take over now
        </button>
      )}
    </div>
  )
}

function whoHolds({ holder, isMine }: LiveLease): string {
  if (isMine) return 'You are in control'
  if (holder.kind === 'agent') return 'The agent is in control'
  return holder.kind === 'nobody'
    ? 'Waiting for a person to take control'
    : `${holder.name || 'Someone'} is in control`
}
