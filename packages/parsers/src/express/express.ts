import type { Action } from '@sandglass/protocol'
import type { Intent } from '../intent.ts'
import type { Space } from '../screen.ts'
import { onComputer } from './computer.ts'
import { onMobile } from './mobile.ts'
import type { Ruler } from './ruler.ts'

/** The action of the contract that does what an intent wants; undefined when there is none in that space. */
export function express(intent: Intent, space: Space, ruler: Ruler): Action | undefined {
  return (space === 'computer' ? onComputer(intent, ruler) : onMobile(intent, ruler)) ?? shared(intent)
}

function shared(intent: Intent): Action | undefined {
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
      return { type: 'client:user-takeover' }
    case 'screenshot':
      return { type: 'screenshot' }
    default:
      return undefined
  }
}
