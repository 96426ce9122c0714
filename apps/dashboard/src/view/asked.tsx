import type { LiveModel, LiveSnapshot } from './live-model.ts'

/** Between two persons: the question to the one, and the answer to the other. It takes no focus from the machine. */
export function Asked({ model, snapshot: { asked, refused } }: { model: LiveModel; snapshot: LiveSnapshot }) {
  if (asked) {
    const answer = (grant: boolean) => {
      model.view.answer(asked.viewer, grant)
      model.dismiss('asked')
    }
    return (
      <div className="card" role="alertdialog" aria-labelledby="asked">
        <p id="asked">
          <strong>{asked.name || 'Somebody'}</strong> asks for the control.
        </p>
        <div className="row">
          <button type="button" onClick={() => answer(false)}>
            Keep it
          </button>
          <button type="button" className="primary" onClick={() => answer(true)}>
            Give it
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
