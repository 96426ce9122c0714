import { MachineError } from '../../contract/errors.ts'
import type { Point, Rect } from '../../contract/rect.ts'
import { contains, overlap } from '../../contract/rect.ts'
import type { ScreenSize } from '../../contract/spec.ts'
import { isWithin, type UiElement, type UiTree, windowOf } from '../../contract/ui-tree.ts'
import { describeElement } from './find-element.ts'

/** The part of an element that is on the screen and inside every scrolling container around it. MISMATCH if there is none. */
export function visiblePart(element: UiElement, tree: UiTree, { width, height }: ScreenSize): Rect {
  const frames = tree.filter(
    other => isWithin(element, other) && (other.actions.includes('scroll') || other.role === 'web'),
  )
  const screen = { x: 0, y: 0, width, height }
  const part = [screen, ...frames.map(({ bounds }) => bounds)].reduce(overlap, element.bounds)
  if (part.width > 0 && part.height > 0) return part
  throw new MachineError(
    'MISMATCH',
    `${describeElement(element)} is outside of what can be seen, at ${JSON.stringify(element.bounds)}: scroll to it first`,
  )
}

/** The pixel in the middle of a rectangle. */
export function middleOf({ x, y, width, height }: Rect): Point {
  return { x: x + Math.floor(width / 2), y: y + Math.floor(height / 2) }
}

/**
 * The element of the same window that would receive a click at this point of an element instead: an open menu, or an
 * interactive element that is drawn later and is neither its ancestor nor its descendant. Pictures and texts that accept no
 * input do not count, because clicks pass through them.
 */
export function coveringElement(element: UiElement, at: Point, tree: UiTree): UiElement | undefined {
  const place = tree.indexOf(element)
  const isOfMenu = isInMenu(element, tree)
  return tree.findLast(
    (other, index) =>
      contains(other.bounds, at) &&
      windowOf(other) === windowOf(element) &&
      !(isWithin(other, element) || isWithin(element, other) || other === element) &&
      (other.actions.length > 0 || other.role === 'dialog' || other.role === 'alert') &&
      (isInMenu(other, tree) === isOfMenu ? index > place : !isOfMenu),
  )
}

/** A menu is drawn above all of its window, wherever it is in the tree. */
function isInMenu(element: UiElement, tree: UiTree): boolean {
  return tree.some(other => other.role === 'menu' && isWithin(element, other))
}
