import { UiElement } from '@sandglass/protocol'
import { MachineError } from '../../contract/errors.ts'
import type { Machine } from '../../contract/machine.ts'
import type { UiTree } from '../../contract/ui-tree.ts'
import { askPrograms } from './ask-programs.ts'

/** What the programs of a desktop tell of what they show. */
export async function readElements(exec: Machine['exec']): Promise<UiTree> {
  return parseElements(await askPrograms(exec, ''))
}

/** What comes is a stranger's, since it comes from inside. */
export function parseElements(printed: string): UiTree {
  try {
    return UiElement.array().parse(JSON.parse(printed))
  } catch (cause) {
    throw new MachineError('MACHINE_FAILED', 'What the programs tell of their windows cannot be read.', {
      cause,
    })
  }
}
