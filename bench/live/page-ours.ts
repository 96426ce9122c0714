import { connectLive } from '@sandglass/live'
import type { Connect } from '@sandglass/protocol'

/** Our live view, opened as a page would. What the bench asks of a page is in probe.ts. */
window.openRival = (connectDetails: Connect) => {
  const view = connectLive({ element: document.body, connectDetails })
  view.on('state', ({ kind }) => {
    if (kind === 'live') view.take()
  })
  window.isReady = () => view.lease.isMine
  return view.canvas
}
