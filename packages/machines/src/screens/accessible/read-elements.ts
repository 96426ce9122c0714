import { UiElement } from '@sandglass/protocol'
import { MachineError } from '../../contract/errors.ts'
import type { Machine } from '../../contract/machine.ts'
import type { UiTree } from '../../contract/ui-tree.ts'
import { queryAtSpi } from './query-atspi.ts'

/** Returns the UI elements that the programs of a desktop expose. */
export async function readElements(exec: Machine['exec']): Promise<UiTree> {
  return parseElements(await queryAtSpi(exec, ''))
}

/** Validates the output strictly, because it comes from inside the machine. */
export function parseElements(printed: string): UiTree {
  try {
    return UiElement.array().parse(JSON.parse(printed))
  } catch (cause) {
    throw new MachineError('MACHINE_FAILED', 'The list of UI elements from the machine is malformed.', {
      cause,
    })
  }
}
