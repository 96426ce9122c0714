import type { ElementName } from '@sandglass/protocol'
import { MachineError } from '../../contract/errors.ts'
import type { UiElement, UiTree } from '../../contract/ui-tree.ts'

/** Longer names are cut in error messages. */
const maxShown = 60

/** Finds the element that a caller described in a fresh tree. MISMATCH, with what is there instead, if it is not there. */
export function findElement(name: ElementName, tree: UiTree): UiElement {
  const same = tree.filter(element => matches(name, element))
  if (name.path !== undefined) {
    const there = tree.find(({ path }) => path === name.path)
    if (there && same.includes(there)) return there
    const now = there ? `${describeElement(there)} is` : 'nothing is shown'
    const [other] = same
    const elsewhere = other ? ` One like that is at ${other.path}.` : ''
    throw new MachineError(
      'MISMATCH',
      `At ${name.path} ${now} now, and not ${describeElement(name)}.${elsewhere}`,
    )
  }
  const [found, ...others] = same
  if (found && others.length === 0) return found
  if (found)
    throw new MachineError(
      'MISMATCH',
      `${same.length} elements are ${describeElement(name)}: give path too, of ${same.map(({ path }) => path).join(', ')}`,
    )
  const namesakes = tree.filter(({ id }) => id === name.id)
  const now =
    namesakes.length === 0 ? '' : `: what has that id is ${namesakes.map(describeElement).join(' and ')}`
  throw new MachineError('MISMATCH', `${describeElement(name)} is not shown now${now}`)
}

/** Describes an element in an error message. A tree never contains passwords, so neither does the message. */
export function describeElement({
  role,
  name,
  text,
  id,
}: Pick<UiElement, 'role' | 'name' | 'id'> & { text?: string | undefined }): string {
  const words = [name, text].filter(word => word).map(word => JSON.stringify(word?.slice(0, maxShown)))
  return [role, ...words, ...(id === undefined ? [] : [`(${id})`])].join(' ')
}

function matches(name: ElementName, element: UiElement): boolean {
  return (
    element.role === name.role &&
    element.name === name.name &&
    (name.id === undefined || element.id === name.id) &&
    (name.text === undefined || element.text === name.text)
  )
}
