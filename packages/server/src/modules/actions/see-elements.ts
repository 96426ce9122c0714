import { type Machine, MachineError } from '@sandglass/machines/contract'
import type { ActionResult } from '@sandglass/protocol'
import { failureOf } from './failures.ts'

/**
 * Lists the elements on the screen. Returns the reason if that fails and does not throw, because the action before it
 * cannot be undone.
 */
export async function seeElements({
  screen,
}: Machine): Promise<Pick<ActionResult, 'uiTree' | 'uiTreeError'>> {
  if (!screen.uiTree)
    return { uiTree: null, uiTreeError: 'This kind of machine does not report its elements.' }
  try {
    const elements = await screen.uiTree()
    return {
      uiTree: elements.map(({ states, actions, ...element }) => ({
        ...element,
        states: [...states],
        actions: [...actions],
      })),
    }
  } catch (error) {
    return {
      uiTree: null,
      uiTreeError: error instanceof MachineError ? error.message : failureOf(error).message,
    }
  }
}
