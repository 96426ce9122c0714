import type { LiveOptions } from './live-options.ts'
import { LiveView } from './live-view.ts'

/**
 * Shows the screen of a sandbox in an element of the page, and reconnects until it is closed or the token is no longer
 * accepted. Once the viewer has control, mouse, keyboard and touch input goes to the sandbox.
 *
 * @example
 * const view = connectLive({ element: document.querySelector('#screen'), connectDetails })
 * view.on('state', state => console.log(state.kind))
 * view.take()
 */
export function connectLive(options: LiveOptions): LiveView {
  return new LiveView(options)
}
