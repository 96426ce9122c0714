/** Two numbers as the model wrote them; the dialect defines their units. */
export class Point {
  readonly x: number
  readonly y: number

  constructor(x: number, y: number) {
    this.x = x
    this.y = y
  }
}

/** The direction of a scroll or swipe. */
export type Direction = 'up' | 'down' | 'left' | 'right'

/**
 * What a model wants, independent of the kind of machine and of units. Without a point, the pointer's position is
 * meant. `buttonDown` and `buttonUp` only become an action together. `scroll` counts steps of the content, positive
 * down and right, and may contain the start and end of a finger's movement; `swipe` and `stroke` are touch gestures.
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

/** The intents of one operation: usually one, or several in order. */
export type Intents = Intent | readonly Intent[]

export function isList(intents: Intents): intents is readonly Intent[] {
  return Array.isArray(intents)
}

/** Appends an intent to an operation. */
export function followedBy(intents: Intents, last: Intent): Intents {
  return isList(intents) ? [...intents, last] : [intents, last]
}
