import type { ComputerAction, RequestedAction } from '@sandglass/protocol'
import type { Phone } from '../contract/phone.ts'
import type { Screen } from '../contract/screen.ts'

/** The mouse and keyboard actions that a finger cannot perform. */
type DesktopOnlyAction = Extract<
  ComputerAction,
  { type: 'mouse:move' | 'mouse:tripleClick' | `key:${string}` }
>

/** The actions that a phone performs: its own, and those of a mouse that a finger can perform too. */
export type PhoneAction = Exclude<RequestedAction, DesktopOnlyAction>

/** The phone that an action is performed on, and until when. */
export interface PhoneTarget {
  readonly phone: Phone
  readonly screen: Screen
  readonly signal: AbortSignal | undefined
}
