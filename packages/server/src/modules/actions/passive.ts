import type { RequestedAction } from '@sandglass/protocol'

/** Actions that do not change the screen, so that there is no need to wait until it settles. */
const passiveActions = new Set<RequestedAction['type']>([
  'screenshot',
  'wait',
  'finished',
  'failed',
  'client:user-takeover',
  'os:listApps',
])

/** Whether an action may change the screen, so that it requires control of it. */
export function isActive({ type }: RequestedAction): boolean {
  return !passiveActions.has(type)
}
