import type { ComputerAction } from '@sandglass/protocol'
import type { Input } from '../contract/input.ts'
import type { Point } from '../contract/rect.ts'
import type { Screen } from '../contract/screen.ts'
import { buttonsOf, click, drag, scroll } from './mouse.ts'
import { resolvePoint } from './resolve-point.ts'

type MouseAction = Extract<ComputerAction, { type: `mouse:${string}` }>

/**
 * Resolves the coordinates of a mouse action, and returns the work that remains. It fails with INVALID where a point is
 * outside the screen, so that a caller that holds keys meanwhile presses none for an action that cannot be performed.
 */
export async function prepareMouse(
  action: MouseAction,
  screen: Screen,
  signal: AbortSignal | undefined,
): Promise<(input: Input) => Promise<void>> {
  const size = await screen.size()
  const origin = async (isRelative: boolean | undefined): Promise<Point | undefined> =>
    isRelative ? (await screen.input()).taken() : undefined
  if (action.type === 'mouse:drag') {
    const start = resolvePoint(action.startX, action.startY, size, await origin(action.startRelative))
    const end = resolvePoint(action.endX, action.endY, size, action.endRelative ? start : undefined)
    return input => drag(input, buttonsOf(action.button), start, end, signal)
  }
  const at = resolvePoint(action.x, action.y, size, await origin(action.relative))
  return async input => {
    await input.move(at)
    await actAtPointer(action, input, signal)
  }
}

async function actAtPointer(
  action: Exclude<MouseAction, { type: 'mouse:drag' }>,
  input: Input,
  signal: AbortSignal | undefined,
): Promise<void> {
  switch (action.type) {
    case 'mouse:click':
      return click(input, buttonsOf(action.button), 1, signal)
    case 'mouse:doubleClick':
      return click(input, buttonsOf(action.button), 2, signal)
    case 'mouse:tripleClick':
      return click(input, buttonsOf(action.button), 3, signal)
    case 'mouse:scroll':
      return scroll(input, action.stepVertical, action.stepHorizontal)
    case 'mouse:move':
      return
    default:
      return action satisfies never
  }
}
