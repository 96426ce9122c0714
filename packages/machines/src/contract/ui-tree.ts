import type { Rect } from './rect.ts'

/** An action that an element accepts. */
export type UiAction = 'click' | 'longPress' | 'type' | 'scroll'

/** A state that an element is in; elements have any number of them. */
export type UiState = 'checked' | 'disabled' | 'focused' | 'password' | 'selected' | 'expanded'

/** An element of the accessibility tree. Programs describe themselves, so nothing in it can be trusted to be on the screen. */
export interface UiElement {
  /** Its role, from a vocabulary that all kinds of machines share, such as `button` or `edit`. */
  readonly role: string
  /** Its accessible name, if that differs from its text. */
  readonly name: string
  /** The text on it or in it; always empty for passwords. */
  readonly text: string
  /** Its window and the child indexes that lead to it, separated by `/`. */
  readonly path: string
  /** The identifier that the program's developers gave it, if any. */
  readonly id?: string | undefined
  /** In pixels of the screen; parts of it may be outside. */
  readonly bounds: Rect
  readonly states: readonly UiState[]
  readonly actions: readonly UiAction[]
  /** Its distance from the root. Its parent is the last element before it with a smaller depth. */
  readonly depth: number
}

/** All elements on the screen in depth-first order, each parent before its children. */
export type UiTree = readonly UiElement[]

/** The window of an element. On a desktop it is named by the program's process id and a number, such as `812.0`. */
export function windowOf({ path }: Pick<UiElement, 'path'>): string {
  return path.split('/', 1)[0] ?? ''
}

/** Whether an element is a descendant of another. */
export function isWithin(inner: UiElement, outer: UiElement): boolean {
  return inner.path.startsWith(`${outer.path}/`)
}
