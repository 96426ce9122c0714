import type { ElementAction } from '@sandglass/protocol'
import { MachineError } from '../../contract/errors.ts'
import type { Screen } from '../../contract/screen.ts'
import { click, scroll } from '../mouse.ts'
import { requireTypeable } from '../typeable.ts'
import { reachElement, requireField } from './reach-element.ts'

const directions = { up: [-1, 0], down: [1, 0], left: [0, -1], right: [0, 1] } as const

/**
 * Acts on an element with the mouse, as a person would. Only text is handed to the program itself, as one change. It fails
 * with MISMATCH, and does nothing, if the element is not on the screen as it was described.
 */
export async function actOnDesktopElement(
  action: ElementAction,
  screen: Screen,
  signal?: AbortSignal,
): Promise<void> {
  if (action.type === 'os:setElementText') requireTypeable(action.text)
  const { element, at } = await reachElement(action.element, screen)
  signal?.throwIfAborted()
  if (action.type === 'os:setElementText') {
    requireField(element)
    if (!screen.setText) throw new MachineError('INVALID', 'This kind of machine takes no text by element.')
    return screen.setText(element, action.text)
  }
  const input = await screen.input()
  await input.move(at)
  if (action.type === 'os:clickElement') await click(input, ['left'], 1, signal)
  else {
    const [vertical, horizontal] = directions[action.direction]
    scroll(input, vertical * action.steps, horizontal * action.steps)
  }
  await input.taken()
}
