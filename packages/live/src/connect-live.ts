import type { LiveOptions } from './live-options.ts'
import { LiveView } from './live-view.ts'

/** Shows a sandbox in an element of the page and keeps it connected until it is closed. */
export function connectLive(options: LiveOptions): LiveView {
  return new LiveView(options)
}
