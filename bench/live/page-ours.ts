import { connectLive } from '@sandglass/live'
import type { Connect } from '@sandglass/protocol'

/** Ours, as a page opens it; what the bench asks of a page is in probe.ts. */
window.openRival = (connectDetails: Connect) => {
  const view = connectLive({ element: document.body, connectDetails })
  view.on('state', ({ kind }) => {
    if (kind === 'live') view.take()
  })
  window.isReady = () => view.lease.isMine
  return view.canvas
}
