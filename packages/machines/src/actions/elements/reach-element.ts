import type { ElementName } from '@sandglass/protocol'
import { MachineError } from '../../contract/errors.ts'
import type { Point, Rect } from '../../contract/rect.ts'
import type { Screen } from '../../contract/screen.ts'
import type { UiElement, UiTree } from '../../contract/ui-tree.ts'
import { describeElement, findElement } from './find-element.ts'
import { coveringElement, middleOf, visiblePart } from './visible-part.ts'

/** An element that was found on the screen and can be acted on now. */
export interface Reached {
  readonly element: UiElement
  /** The part of it that is visible. */
  readonly part: Rect
  /** The middle of the visible part, where it is clicked. */
  readonly at: Point
}

/**
 * Finds an element on the current screen for a caller that acts on it next. It fails with MISMATCH if the element is not
 * what the caller described, or if a person could not act on it either: it is disabled, not visible, or covered.
 */
export async function reachElement(name: ElementName, screen: Screen): Promise<Reached> {
  const tree = await currentTree(screen)
  const element = findElement(name, tree)
  if (element.states.includes('disabled'))
    throw new MachineError('MISMATCH', `${describeElement(element)} is disabled now`)
  const part = visiblePart(element, tree, await screen.size())
  const at = middleOf(part)
  const cover = coveringElement(element, at, tree)
  const above = cover ? describeElement(cover) : await screen.coverOf?.(element, at, tree)
  if (above !== undefined)
    throw new MachineError('MISMATCH', `${above} is above ${describeElement(element)} now`)
  return { element, part, at }
}

/** Reads the current UI tree. INVALID, with the reason, where this machine has none. */
export async function currentTree(screen: Screen): Promise<UiTree> {
  if (!screen.uiTree) throw new MachineError('INVALID', 'This kind of machine does not report its elements.')
  try {
    return await screen.uiTree()
  } catch (error) {
    if (!(error instanceof MachineError) || error.code !== 'STATE') throw error
    throw new MachineError('INVALID', `No elements are told: ${error.message}`, { cause: error })
  }
}

/** Fails with MISMATCH if an element accepts no text. */
export function requireField(element: UiElement): void {
  if (!element.actions.includes('type'))
    throw new MachineError('MISMATCH', `${describeElement(element)} takes no text now`)
}
