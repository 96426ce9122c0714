import RFB from '@novnc/novnc'

/** noVNC, opened as its documentation describes. What the bench asks of a page is in probe.ts. */
window.openRival = url => {
  const rfb = new RFB(document.body, url, { shared: true })
  let isConnected = false
  rfb.addEventListener('connect', () => {
    isConnected = true
    rfb.focus()
  })
  window.isReady = () => isConnected
  return document.querySelector('canvas')
}
