import type { Point, Rect } from '../../contract/rect.ts'
import { contains, overlap } from '../../contract/rect.ts'
import { type UiElement, type UiTree, windowOf } from '../../contract/ui-tree.ts'
import type { ProgramWindow } from '../x11/window-at.ts'

/**
 * Describes the window that covers this point of an element, or returns undefined if none does. AT-SPI does not
 * report the stacking order, so the topmost X window is matched to the window of the same program whose bounds are
 * most similar.
 */
export function coverOf(
  element: UiElement,
  at: Point,
  tree: UiTree,
  top: ProgramWindow | undefined,
): string | undefined {
  if (!top) return 'something that is not a window of a program'
  const windows = tree.filter(
    other => windowOf(other) === other.path && processOf(other) === top.process && contains(other.bounds, at),
  )
  const [best] = windows.toSorted(
    (a, b) => similarity(b.bounds, top.bounds) - similarity(a.bounds, top.bounds),
  )
  if (best && best.path !== windowOf(element)) return `the ${best.role} ${JSON.stringify(best.name)}`
  // A menu may extend beyond the window that AT-SPI reports as its parent.
  return processOf(element) === top.process ? undefined : 'a window of another program'
}

function processOf(element: UiElement): number {
  return Number.parseInt(windowOf(element), 10)
}

/** The intersection of two rectangles divided by their union, from 0 to 1. */
function similarity(a: Rect, b: Rect): number {
  const common = area(overlap(a, b))
  return common / (area(a) + area(b) - common)
}

function area({ width, height }: Rect): number {
  return width * height
}
