import { MachineError } from '../../contract/errors.ts'
import type { Machine } from '../../contract/machine.ts'
import type { UiElement } from '../../contract/ui-tree.ts'
import { queryAtSpi } from './query-atspi.ts'

/** Replaces the text of an element, which is looked up again first. Its program sees one change and no key events. */
export async function setText(exec: Machine['exec'], element: UiElement, text: string): Promise<void> {
  const { path, role, name } = element
  const refusal = await queryAtSpi(exec, JSON.stringify({ path, role, name, text }))
  if (refusal !== '')
    throw new MachineError(
      'MISMATCH',
      `${role} ${JSON.stringify(name)} did not get the text: ${refusal.slice(0, 300)}`,
    )
}
