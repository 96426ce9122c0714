import type { LiveModel, LiveSnapshot } from './live-model.ts'

/**
 * The request of another person for control, the reply to one's own, and the loss of control. It does not take the focus
 * from the machine.
 */
export function Asked({ model, snapshot }: { model: LiveModel; snapshot: LiveSnapshot }) {
  const { asked, refused, notice } = snapshot
  if (asked)
    return (
      <div className="card" role="alertdialog" aria-labelledby="asked">
        <p id="asked">
          <strong>{asked.name || 'Someone'}</strong> is asking for control.
        </p>
        <div className="row">
          <button type="button" onClick={() => model.answer(asked.viewer, false)}>
            Keep control
          </button>
          <button type="button" className="primary" onClick={() => model.answer(asked.viewer, true)}>
            Give control
          </button>
        </div>
      </div>
    )
  const said = refused ?? notice
  if (said === undefined) return undefined
  return (
    <div className="card" role="alert">
      <p>{said}</p>
      <div className="row">
        <button type="button" onClick={() => model.dismiss(refused === undefined ? 'notice' : 'refused')}>
          Close
        </button>
      </div>
    </div>
  )
}
