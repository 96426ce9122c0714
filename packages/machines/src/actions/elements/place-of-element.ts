import { MachineError } from '../../contract/errors.ts'
import type { Point, Rect } from '../../contract/rect.ts'
import { contains, overlap } from '../../contract/rect.ts'
import type { ScreenSize } from '../../contract/spec.ts'
import { isWithin, type UiElement, type UiTree, windowOf } from '../../contract/ui-tree.ts'
import { shown } from './named-element.ts'

/** What can be seen of an element: the part of it that is on the screen and within all that scroll it. */
export function visiblePart(element: UiElement, tree: UiTree, { width, height }: ScreenSize): Rect {
  const frames = tree.filter(
    other => isWithin(element, other) && (other.actions.includes('scroll') || other.role === 'web'),
  )
  const screen = { x: 0, y: 0, width, height }
  const part = [screen, ...frames.map(({ bounds }) => bounds)].reduce(overlap, element.bounds)
  if (part.width > 0 && part.height > 0) return part
  throw new MachineError(
    'MISMATCH',
    `${shown(element)} is outside of what can be seen, at ${JSON.stringify(element.bounds)}: scroll to it first`,
  )
}

export function middleOf({ x, y, width, height }: Rect): Point {
  return { x: x + Math.floor(width / 2), y: y + Math.floor(height / 2) }
}

/**
 * What of its own window lies over this place of an element: an open menu, or what is told after it, neither around it nor within
 * it, and takes what is done there. A picture or a text that takes nothing lets it through.
 */
export function coverInTree(element: UiElement, at: Point, tree: UiTree): UiElement | undefined {
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

/** A menu hangs over all of its window, wherever it is told. */
function isInMenu(element: UiElement, tree: UiTree): boolean {
  return tree.some(other => other.role === 'menu' && isWithin(element, other))
}
