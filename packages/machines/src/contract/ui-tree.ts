import type { Rect } from './rect.ts'

/** What can be done with an element. */
export type UiDeed = 'click' | 'longPress' | 'type' | 'scroll'

export type UiState = 'checked' | 'disabled' | 'focused' | 'password' | 'selected' | 'expanded'

/** One thing on the screen, as programs tell those who cannot see it. */
export interface UiElement {
  /** What it is, in words that all kinds of machines share, such as `button` or `edit`. */
  readonly role: string
  /** What it is called, where that is not its text. */
  readonly name: string
  /** What is written on it or in it; nothing of a password. */
  readonly text: string
  /** Its window, and the way from there by numbers of children, with `/` between. */
  readonly path: string
  /** The name that the program's maker gave it, where there is one. */
  readonly id?: string | undefined
  /** In pixels of the screen. */
  readonly bounds: Rect
  readonly states: readonly UiState[]
  readonly actions: readonly UiDeed[]
  /** The parent is the last element before it whose depth is smaller. */
  readonly depth: number
}

/** Everything on the screen, each parent before its children. */
export type UiTree = readonly UiElement[]

/** Which window an element is in; that of a desktop is named by its program's process and a number, such as `812.0`. */
export function windowOf({ path }: Pick<UiElement, 'path'>): string {
  return path.split('/', 1)[0] ?? ''
}

export function isWithin(inner: UiElement, outer: UiElement): boolean {
  return inner.path.startsWith(`${outer.path}/`)
}
