import type { Point, Rect } from '../../contract/rect.ts'
import { contains, overlap } from '../../contract/rect.ts'
import { type UiElement, type UiTree, windowOf } from '../../contract/ui-tree.ts'
import type { ProgramWindow } from '../x11/window-at.ts'

/**
 * What the window on top has over this place of an element, in words: programs do not tell how their windows lie on each other.
 * Of the windows of one program, the one that is most like the one on top is taken to be that.
 */
export function coverOf(
  element: UiElement,
  at: Point,
  tree: UiTree,
  top: ProgramWindow | undefined,
): string | undefined {
  if (!top) return 'something that is no window of a program'
  const windows = tree.filter(
    other => windowOf(other) === other.path && processOf(other) === top.process && contains(other.bounds, at),
  )
  const [nearest] = windows.toSorted(
    (a, b) => likeness(b.bounds, top.bounds) - likeness(a.bounds, top.bounds),
  )
  if (nearest && nearest.path !== windowOf(element))
    return `the ${nearest.role} ${JSON.stringify(nearest.name)}`
  // A menu may hang out of the window that it is told to be in.
  return processOf(element) === top.process ? undefined : 'a window of another program'
}

function processOf(element: UiElement): number {
  return Number.parseInt(windowOf(element), 10)
}

/** The common part of two rectangles to all that they cover, from 0 to 1. */
function likeness(a: Rect, b: Rect): number {
  const common = area(overlap(a, b))
  return common / (area(a) + area(b) - common)
}

function area({ width, height }: Rect): number {
  return width * height
}
