import type { RequestedAction } from '@sandglass/protocol'

/** How many characters are kept of each text of an action. */
export const maxTextLength = 500

/** Returns an action as JSON, with long texts shortened. */
export function argumentsOf(action: RequestedAction): string {
  return JSON.stringify(action, (_name, value: unknown) =>
    typeof value === 'string' && value.length > maxTextLength ? `${value.slice(0, maxTextLength)}…` : value,
  )
}
