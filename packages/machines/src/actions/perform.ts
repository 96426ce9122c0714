import { setTimeout as pause } from 'node:timers/promises'
import type { ComputerAction, ElementAction } from '@sandglass/protocol'
import type { Input } from '../contract/input.ts'
import type { Point } from '../contract/rect.ts'
import type { Screen } from '../contract/screen.ts'
import { actOnDesktopElement } from './elements/on-desktop.ts'
import { holding, pressAll } from './hold.ts'
import { keysymsOf } from './keys.ts'
import { buttonsOf, click, drag, scroll } from './mouse.ts'
import { placeOf } from './place.ts'
import { requireTypeable } from './typeable.ts'
import { wait } from './wait.ts'

type MouseAction = Extract<ComputerAction, { type: `mouse:${string}` }>
type PlacedAction = Exclude<MouseAction, { type: 'mouse:drag' }>

export type DesktopAction = ComputerAction | ElementAction

/** Does on a desktop what an action says. What is wrong with it is found before anything is pressed. */
export async function performOnDesktop(
  action: DesktopAction,
  screen: Screen,
  signal?: AbortSignal,
): Promise<void> {
  signal?.throwIfAborted()
  switch (action.type) {
    case 'wait':
      return wait(action.duration, signal)
    case 'keyboard:type': {
      requireTypeable(action.content)
      const lineBreak = action.treatNewLineAsEnter ? 'Enter' : 'Shift+Enter'
      return (await screen.input()).type(action.content, { lineBreak, signal })
    }
    case 'keyboard:hotkey': {
      const keysyms = keysymsOf(action.keys)
      const { duration } = action
      const hold = async () => {
        if (duration !== undefined) await pause(duration, undefined, { signal })
      }
      return finish(await screen.input(), input => holding(input, keysyms, hold, signal))
    }
    case 'key:down': {
      const keysyms = keysymsOf(action.key)
      return finish(await screen.input(), async input => {
        await input.prepare(keysyms, signal)
        pressAll(input, keysyms, [])
      })
    }
    case 'key:up': {
      const keysyms = keysymsOf(action.key)
      return finish(await screen.input(), async input => {
        for (const keysym of keysyms.toReversed()) input.keyUp(keysym)
      })
    }
    case 'mouse:click':
    case 'mouse:doubleClick':
    case 'mouse:tripleClick':
    case 'mouse:move':
    case 'mouse:scroll':
    case 'mouse:drag': {
      const held = action.holdKey === undefined ? [] : keysymsOf(action.holdKey)
      const work = await prepareMouse(action, screen, signal)
      return finish(await screen.input(), input => holding(input, held, () => work(input), signal))
    }
    case 'os:clickElement':
    case 'os:setElementText':
    case 'os:scrollElement':
      return actOnDesktopElement(action, screen, signal)
    default:
      // What remains is only looked at, or said.
      return
  }
}

/** Settles when the machine has taken everything. */
async function finish(input: Input, work: (input: Input) => Promise<void>): Promise<void> {
  await work(input)
  await input.taken()
}

async function prepareMouse(
  action: MouseAction,
  screen: Screen,
  signal: AbortSignal | undefined,
): Promise<(input: Input) => Promise<void>> {
  const size = await screen.size()
  const pointer = async (isRelative: boolean | undefined): Promise<Point | undefined> =>
    isRelative ? (await screen.input()).taken() : undefined
  if (action.type !== 'mouse:drag') {
    const at = placeOf(action.x, action.y, size, await pointer(action.relative))
    return async input => {
      await input.move(at)
      await act(input, action, signal)
    }
  }
  const start = placeOf(action.startX, action.startY, size, await pointer(action.startRelative))
  const end = placeOf(action.endX, action.endY, size, action.endRelative ? start : undefined)
  return input => drag(input, buttonsOf(action.button), start, end, signal)
}

const clicks = { 'mouse:click': 1, 'mouse:doubleClick': 2, 'mouse:tripleClick': 3 } as const

async function act(input: Input, action: PlacedAction, signal: AbortSignal | undefined): Promise<void> {
  if (action.type === 'mouse:scroll') scroll(input, action.stepVertical, action.stepHorizontal)
  else if (action.type !== 'mouse:move')
    await click(input, buttonsOf(action.button), clicks[action.type], signal)
}
