import type { RequestedAction } from '@sandglass/protocol'
import type { Phone } from '../contract/phone.ts'
import type { Screen } from '../contract/screen.ts'
import { actOnPhoneElement } from './elements/on-phone.ts'
import { doesNothingInTheMachine } from './no-effect.ts'
import type { PhoneAction, PhoneTarget } from './phone-action.ts'
import { appByName } from './phone-app.ts'
import {
  doubleTapAt,
  dragBetween,
  dragByMouse,
  longPress,
  scrollByMouse,
  swipe,
  tapAt,
  tapByMouse,
} from './phone-gestures.ts'
import { androidKeysOf } from './phone-keys.ts'
import { typeOnPhone } from './phone-typing.ts'
import { wait } from './wait.ts'

type ActionsByType = { readonly [T in PhoneAction['type']]: Extract<PhoneAction, { type: T }> }

/**
 * One handler per action type. An action type that the protocol gains is a compile error here until somebody decides
 * what a phone does with it, so that no action can report success without having been performed.
 */
const handlers: {
  readonly [T in PhoneAction['type']]: (action: ActionsByType[T], target: PhoneTarget) => Promise<unknown>
} = {
  screenshot: doesNothingInTheMachine,
  wait: ({ duration }, { signal }) => wait(duration, signal),
  finished: doesNothingInTheMachine,
  failed: doesNothingInTheMachine,
  'client:user-takeover': doesNothingInTheMachine,
  'keyboard:type': ({ content, treatNewLineAsEnter }, target) =>
    typeOnPhone(content, treatNewLineAsEnter === true, target),
  'keyboard:hotkey': async ({ keys, duration }, { phone, signal }) =>
    phone.press(androidKeysOf(keys), { signal, ...(duration !== undefined && { durationMs: duration }) }),
  'touch:tap': tapAt,
  'touch:longPress': longPress,
  'touch:drag': dragBetween,
  'touch:swipe': swipe,
  'android:back': (_action, { phone, signal }) => phone.press(['BACK'], { signal }),
  'android:home': (_action, { phone, signal }) => phone.press(['HOME'], { signal }),
  'os:listApps': (_action, { phone, signal }) => phone.apps({ signal }),
  'os:startApp': ({ packageName }, { phone, signal }) => phone.start(packageName, { signal }),
  'os:startAppByName': async ({ name }, { phone, signal }) =>
    phone.start(appByName(name, await phone.apps({ signal })).packageName, { signal }),
  'os:closeApp': ({ packageName }, { phone, signal }) => phone.close(packageName, { signal }),
  'os:closeAppByName': async ({ name }, { phone, signal }) =>
    phone.close(appByName(name, await phone.apps({ signal })).packageName, { signal }),
  'mouse:click': tapByMouse,
  'mouse:doubleClick': tapByMouse,
  'mouse:drag': dragByMouse,
  'mouse:scroll': scrollByMouse,
  'mobile:doubleTap': doubleTapAt,
  'os:clickElement': actOnPhoneElement,
  'os:setElementText': actOnPhoneElement,
  'os:scrollElement': actOnPhoneElement,
}

/** The types of the actions that a phone performs, in the order in which they are listed to callers. */
export const phoneActionTypes: readonly string[] = Object.keys(handlers)

/** Whether a phone performs this action; the others are refused before anything is done. */
export function isPhoneAction(action: RequestedAction): action is PhoneAction {
  return Object.hasOwn(handlers, action.type)
}

/**
 * Performs an action on a phone, and settles when the phone has taken it. It resolves to the action's own result where
 * there is one, such as the apps for `os:listApps`, and to undefined otherwise. An action that is invalid fails with
 * INVALID before the screen is touched.
 *
 * @example
 * ```ts
 * const apps = await performOnPhone({ type: 'os:listApps' }, machine.phone, machine.screen)
 * ```
 */
export async function performOnPhone(
  action: PhoneAction,
  phone: Phone,
  screen: Screen,
  signal?: AbortSignal,
): Promise<unknown> {
  signal?.throwIfAborted()
  return await dispatch(action.type, action, { phone, screen, signal })
}

/** The type parameter lets the compiler see that the handler and the action belong together. */
function dispatch<T extends PhoneAction['type']>(
  type: T,
  action: ActionsByType[T],
  target: PhoneTarget,
): Promise<unknown> {
  return handlers[type](action, target)
}
