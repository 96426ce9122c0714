import type { Action } from '@sandglass/protocol'
import type { Intent } from '../intent.ts'
import type { Space } from '../screen.ts'
import { toComputerAction } from './computer.ts'
import { toMobileAction } from './mobile.ts'
import type { Ruler } from './ruler.ts'

/** The max length of what an action may ask of a person. */
const maxRequestLength = 2000

/** The action of the contract for an intent; undefined if there is none for that kind of machine. */
export function toAction(intent: Intent, space: Space, ruler: Ruler): Action | undefined {
  return (
    (space === 'computer' ? toComputerAction(intent, ruler) : toMobileAction(intent, ruler)) ??
    toSharedAction(intent)
  )
}

function toSharedAction(intent: Intent): Action | undefined {
  switch (intent.kind) {
    case 'type':
      return { type: 'keyboard:type', content: intent.content, treatNewLineAsEnter: intent.newLineIsEnter }
    case 'keys':
      return intent.duration === undefined
        ? { type: 'keyboard:hotkey', keys: intent.keys }
        : { type: 'keyboard:hotkey', keys: intent.keys, duration: intent.duration }
    case 'wait':
      return { type: 'wait', duration: intent.duration }
    case 'finished':
    case 'failed':
      return intent.message ? { type: intent.kind, message: intent.message } : { type: intent.kind }
    case 'ask':
      return intent.message
        ? { type: 'client:user-takeover', message: intent.message.slice(0, maxRequestLength) }
        : { type: 'client:user-takeover' }
    case 'screenshot':
      return { type: 'screenshot' }
    default:
      return undefined
  }
}
