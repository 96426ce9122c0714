import type { LiveModel, LiveSnapshot } from './live-model.ts'

/**
 * The request of another person for control, and the reply to one's own. It does not take the focus from the machine.
 */
export function Asked({ model, snapshot: { asked, refused } }: { model: LiveModel; snapshot: LiveSnapshot }) {
  if (asked) {
    const answer = (grant: boolean) => {
      model.view.answer(asked.viewer, grant)
      model.dismiss('asked')
    }
    return (
      <div className="card" role="alertdialog" aria-labelledby="asked">
        <p id="asked">
          <strong>{asked.name || 'Someone'}</strong> is asking for control.
        </p>
        <div className="row">
          <button type="button" onClick={() => answer(false)}>
            Keep control
          </button>
          <button type="button" className="primary" onClick={() => answer(true)}>
            Give control
          </button>
        </div>
      </div>
    )
  }
  if (refused === undefined) return undefined
  return (
    <div className="card" role="alert">
      <p>{refused}</p>
      <div className="row">
        <button type="button" onClick={() => model.dismiss('refused')}>
          Close
        </button>
      </div>
    </div>
  )
}
