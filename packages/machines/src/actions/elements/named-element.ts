import type { ElementName } from '@sandglass/protocol'
import { MachineError } from '../../contract/errors.ts'
import type { UiElement, UiTree } from '../../contract/ui-tree.ts'

const longestShown = 60

/** The element that a name means, in a tree that was read just now. MISMATCH with what is there instead. */
export function elementNamed(name: ElementName, tree: UiTree): UiElement {
  const same = tree.filter(element => isSo(name, element))
  if (name.path !== undefined) {
    const there = tree.find(({ path }) => path === name.path)
    if (there && same.includes(there)) return there
    const now = there ? `${shown(there)} is` : 'nothing is shown'
    const [other] = same
    const elsewhere = other ? ` One like that is at ${other.path}.` : ''
    throw new MachineError('MISMATCH', `At ${name.path} ${now} now, and not ${shown(name)}.${elsewhere}`)
  }
  const [found, ...others] = same
  if (found && others.length === 0) return found
  if (found)
    throw new MachineError(
      'MISMATCH',
      `${same.length} elements are ${shown(name)}: give path too, of ${same.map(({ path }) => path).join(', ')}`,
    )
  const namesakes = tree.filter(({ id }) => id === name.id)
  const now = namesakes.length === 0 ? '' : `: what has that id is ${namesakes.map(shown).join(' and ')}`
  throw new MachineError('MISMATCH', `${shown(name)} is not shown now${now}`)
}

/** In words, for an error. Nothing of a password is in a tree. */
export function shown({
  role,
  name,
  text,
  id,
}: Pick<UiElement, 'role' | 'name' | 'id'> & { text?: string | undefined }): string {
  const words = [name, text].filter(word => word).map(word => JSON.stringify(word?.slice(0, longestShown)))
  return [role, ...words, ...(id === undefined ? [] : [`(${id})`])].join(' ')
}

function isSo(name: ElementName, element: UiElement): boolean {
  return (
    element.role === name.role &&
    element.name === name.name &&
    (name.id === undefined || element.id === name.id) &&
    (name.text === undefined || element.text === name.text)
  )
}
