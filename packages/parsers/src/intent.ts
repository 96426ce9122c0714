/** Two numbers as the model wrote them; what they count is the dialect's business. */
export class Point {
  readonly x: number
  readonly y: number

  constructor(x: number, y: number) {
    this.x = x
    this.y = y
  }
}

export type Direction = 'up' | 'down' | 'left' | 'right'

/**
 * What a model wants, before it is known on what kind of machine and in which units. A point left out means where the
 * pointer is. A button's press and its release are only done together, as what they come to. `scroll` counts steps of
 * the content, positive down and right, and may say from where to where a finger goes for it; `swipe` and `stroke` are
 * a finger's.
 */
export type Intent =
  | { kind: 'tap'; at?: Point; button: number; count: 1 | 2 | 3; hold?: string; relative?: boolean }
  | { kind: 'longPress'; at: Point; duration: number }
  | { kind: 'move'; at: Point; relative?: boolean; hold?: string }
  | { kind: 'buttonDown' | 'buttonUp'; at?: Point; button: number }
  | { kind: 'drag'; from?: Point; to: Point; relative?: boolean; button: number; hold?: string }
  | { kind: 'stroke'; from: Point; to: Point }
  | { kind: 'scroll'; at?: Point; to?: Point; down: number; right: number; distance?: number; hold?: string }
  | { kind: 'swipe'; at?: Point; direction: Direction; distance?: number }
  | { kind: 'type'; content: string; newLineIsEnter: boolean }
  | { kind: 'keys'; keys: string; duration?: number }
  | { kind: 'keyDown' | 'keyUp'; key: string }
  | { kind: 'wait'; duration: number }
  | { kind: 'finished' | 'failed'; message?: string }
  | { kind: 'ask'; message?: string }
  | { kind: 'screenshot' | 'back' | 'home' | 'listApps' }
  | { kind: 'startApp' | 'closeApp'; name: string }
  | { kind: 'startPackage' | 'closePackage'; name: string }

/** What one operation wants: one thing, as most do, or several in turn. */
export type Intents = Intent | readonly Intent[]

export function isList(intents: Intents): intents is readonly Intent[] {
  return Array.isArray(intents)
}

/** An operation that does one thing more. */
export function followedBy(intents: Intents, last: Intent): Intents {
  return isList(intents) ? [...intents, last] : [intents, last]
}
