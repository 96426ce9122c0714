import type { ElementName } from '@sandglass/protocol'
import { MachineError } from '../../contract/errors.ts'
import type { Point, Rect } from '../../contract/rect.ts'
import type { Screen } from '../../contract/screen.ts'
import type { UiElement, UiTree } from '../../contract/ui-tree.ts'
import { elementNamed, shown } from './named-element.ts'
import { coverInTree, middleOf, visiblePart } from './place-of-element.ts'

export interface Reached {
  readonly element: UiElement
  /** What can be seen of it, and the middle of that. */
  readonly part: Rect
  readonly at: Point
}

/**
 * Finds an element on the screen as it is now, for somebody who acts on it next. MISMATCH where it is not what it was said to be,
 * or a person could not act on it either: it is disabled, outside of what can be seen, or something else is above it.
 */
export async function reachElement(name: ElementName, screen: Screen): Promise<Reached> {
  const tree = await treeNow(screen)
  const element = elementNamed(name, tree)
  if (element.states.includes('disabled'))
    throw new MachineError('MISMATCH', `${shown(element)} is disabled now`)
  const part = visiblePart(element, tree, await screen.size())
  const at = middleOf(part)
  const cover = coverInTree(element, at, tree)
  const above = cover ? shown(cover) : await screen.coverOf?.(element, at, tree)
  if (above !== undefined) throw new MachineError('MISMATCH', `${above} is above ${shown(element)} now`)
  return { element, part, at }
}

export async function treeNow(screen: Screen): Promise<UiTree> {
  if (!screen.uiTree) throw new MachineError('INVALID', 'This kind of machine tells no elements.')
  try {
    return await screen.uiTree()
  } catch (error) {
    if (!(error instanceof MachineError) || error.code !== 'STATE') throw error
    throw new MachineError('INVALID', `No elements are told: ${error.message}`, { cause: error })
  }
}

export function requireField(element: UiElement): void {
  if (!element.actions.includes('type'))
    throw new MachineError('MISMATCH', `${shown(element)} takes no text now`)
}
