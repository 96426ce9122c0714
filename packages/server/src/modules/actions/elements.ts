import { MachineError } from '@sandglass/machines/contract'
import type { ActionResult } from '@sandglass/protocol'
import type { Looked } from '@sandglass/workers/contract'
import { failureOf } from './failures.ts'

/**
 * The elements on the screen, or the reason why they are not known, which does not fail the action, because the action
 * cannot be undone.
 */
export function elementsOf(
  found: NonNullable<Looked['elements']>,
): Pick<ActionResult, 'uiTree' | 'uiTreeError'> {
  if ('error' in found) {
    const { error } = found
    return {
      uiTree: null,
      uiTreeError: error instanceof MachineError ? error.message : failureOf(error).message,
    }
  }
  return {
    uiTree: found.tree.map(({ states, actions, ...element }) => ({
      ...element,
      states: [...states],
      actions: [...actions],
    })),
  }
}
