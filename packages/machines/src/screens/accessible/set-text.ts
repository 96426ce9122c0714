import { MachineError } from '../../contract/errors.ts'
import type { Machine } from '../../contract/machine.ts'
import type { UiElement } from '../../contract/ui-tree.ts'
import { askPrograms } from './ask-programs.ts'

/** Puts text in place of what an element holds, which is looked up anew: its program gets it as one change, without a key. */
export async function setText(exec: Machine['exec'], element: UiElement, text: string): Promise<void> {
  const { path, role, name } = element
  const refusal = await askPrograms(exec, JSON.stringify({ path, role, name, text }))
  if (refusal !== '')
    throw new MachineError(
      'MISMATCH',
      `${role} ${JSON.stringify(name)} did not get the text: ${refusal.slice(0, 300)}`,
    )
}
