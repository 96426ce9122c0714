import { setTimeout as pause } from 'node:timers/promises'
import type { ComputerAction, ElementAction, RequestedAction } from '@sandglass/protocol'
import type { Input } from '../contract/input.ts'
import type { Screen } from '../contract/screen.ts'
import { prepareMouse } from './desktop-mouse.ts'
import { actOnDesktopElement } from './elements/on-desktop.ts'
import { pressAll, whileHolding } from './hold.ts'
import { keysymsOf } from './keys.ts'
import { doesNothingInTheMachine } from './no-effect.ts'
import { requireTypeable } from './typeable.ts'
import { wait } from './wait.ts'

/** The actions that a desktop performs. */
export type DesktopAction = ComputerAction | ElementAction

type ActionsByType = { readonly [T in DesktopAction['type']]: Extract<DesktopAction, { type: T }> }

/**
 * One handler per action type. An action type that the protocol gains is a compile error here until somebody decides
 * what a desktop does with it, so that no action can report success without having been performed.
 */
const handlers: {
  readonly [T in DesktopAction['type']]: (
    action: ActionsByType[T],
    screen: Screen,
    signal: AbortSignal | undefined,
  ) => Promise<void>
} = {
  screenshot: doesNothingInTheMachine,
  wait: ({ duration }, _screen, signal) => wait(duration, signal),
  finished: doesNothingInTheMachine,
  failed: doesNothingInTheMachine,
  'client:user-takeover': doesNothingInTheMachine,
  async 'keyboard:type'({ content, treatNewLineAsEnter }, screen, signal) {
    requireTypeable(content)
    const lineBreak = treatNewLineAsEnter ? 'Enter' : 'Shift+Enter'
    await (await screen.input()).type(content, { lineBreak, signal })
  },
  async 'keyboard:hotkey'({ keys, duration }, screen, signal) {
    const keysyms = keysymsOf(keys)
    const hold = async () => {
      if (duration !== undefined) await pause(duration, undefined, { signal })
    }
    await untilTaken(await screen.input(), input => whileHolding(input, keysyms, hold, signal))
  },
  'mouse:click': useMouse,
  'mouse:doubleClick': useMouse,
  'mouse:tripleClick': useMouse,
  'mouse:move': useMouse,
  'mouse:scroll': useMouse,
  'mouse:drag': useMouse,
  async 'key:down'({ key }, screen, signal) {
    const keysyms = keysymsOf(key)
    await untilTaken(await screen.input(), async input => {
      await input.prepare(keysyms, signal)
      pressAll(input, keysyms, [])
    })
  },
  async 'key:up'({ key }, screen) {
    const keysyms = keysymsOf(key)
    await untilTaken(await screen.input(), async input => {
      for (const keysym of keysyms.toReversed()) input.keyUp(keysym)
    })
  },
  'os:clickElement': actOnDesktopElement,
  'os:setElementText': actOnDesktopElement,
  'os:scrollElement': actOnDesktopElement,
}

/** The types of the actions that a desktop performs, in the order in which they are listed to callers. */
export const desktopActionTypes: readonly string[] = Object.keys(handlers)

/** Whether a desktop performs this action; the others are refused before anything is done. */
export function isDesktopAction(action: RequestedAction): action is DesktopAction {
  return Object.hasOwn(handlers, action.type)
}

/**
 * Performs an action on a desktop, and settles when the machine has taken all of its input. An action that is invalid
 * fails with INVALID before any key or button is pressed. When the signal fires, everything that was pressed is
 * released before this rejects.
 *
 * @example
 * ```ts
 * await performOnDesktop({ type: 'keyboard:hotkey', keys: 'ctrl+s' }, machine.screen)
 * ```
 */
export async function performOnDesktop(
  action: DesktopAction,
  screen: Screen,
  signal?: AbortSignal,
): Promise<void> {
  signal?.throwIfAborted()
  await dispatch(action.type, action, screen, signal)
}

/** The type parameter lets the compiler see that the handler and the action belong together. */
function dispatch<T extends DesktopAction['type']>(
  type: T,
  action: ActionsByType[T],
  screen: Screen,
  signal: AbortSignal | undefined,
): Promise<void> {
  return handlers[type](action, screen, signal)
}

async function useMouse(
  action: Parameters<typeof prepareMouse>[0],
  screen: Screen,
  signal: AbortSignal | undefined,
): Promise<void> {
  const heldKeys = action.holdKey === undefined ? [] : keysymsOf(action.holdKey)
  const work = await prepareMouse(action, screen, signal)
  await untilTaken(await screen.input(), input => whileHolding(input, heldKeys, () => work(input), signal))
}

/** Settles when the machine has taken all the input that the work sent. */
async function untilTaken(input: Input, work: (input: Input) => Promise<void>): Promise<void> {
  await work(input)
  await input.taken()
}
