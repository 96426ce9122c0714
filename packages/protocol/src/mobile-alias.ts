import { z } from 'zod'
import { Action, mobileActions } from './action.ts'
import { elementActions } from './element-action.ts'

/** `mobile:` names that one published client uses for actions of the contract. */
const renamed: Readonly<Record<string, string>> = {
  'mobile:tap': 'touch:tap',
  'mobile:swipe': 'touch:drag',
  'mobile:type': 'keyboard:type',
  'mobile:hotkey': 'keyboard:hotkey',
  'mobile:home': 'android:home',
  'mobile:back': 'android:back',
  'mobile:screenshot': 'screenshot',
  'mobile:wait': 'wait',
  'mobile:finished': 'finished',
  'mobile:failed': 'failed',
}

function fromAlias(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('type' in value)) return value
  const type = renamed[String(value.type)]
  if (type === undefined) return value
  if (type === 'keyboard:hotkey' && 'key' in value) return { ...value, type, keys: value.key }
  return { ...value, type }
}

/**
 * Two taps in quick succession. Only that client has a name for it, so requests may contain it and responses do not.
 */
export const DoubleTap = mobileActions[0].extend({ type: z.literal('mobile:doubleTap') })

/** An action as a request may spell it. Parsing converts it to the spelling of the contract. */
export const RequestedAction = z
  .preprocess(fromAlias, z.discriminatedUnion('type', [...Action.options, DoubleTap, ...elementActions]))
  .meta({ id: 'RequestedAction' })
export type RequestedAction = z.infer<typeof RequestedAction>
