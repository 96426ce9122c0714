import type { Resize } from './readers/resize.ts'

/**
 * The units of coordinates. `thousandths-or-pixels`, `pixels-or-thousandths` and `pixels-or-fractions` are for families
 * whose versions differ: one number that only fits the second unit decides for the whole text.
 */
export type Units =
  | 'thousandths'
  | 'thousandths-or-pixels'
  | 'pixels'
  | 'pixels-or-thousandths'
  | 'pixels-or-fractions'

/** How families that share a vocabulary differ in its meaning. */
export interface Dialect {
  readonly units: Units
  /** How the family's image processor resizes its input; pixel coordinates refer to the result. */
  readonly resize: Resize
  /** The default duration of a wait, in milliseconds. */
  readonly waitMs: number
  /** Whether a click without coordinates is at the pointer; otherwise it is an error. */
  readonly clickAtPointer: boolean
  /** What a space between two key names means: one chord, or one press after the other. */
  readonly blankBetweenKeys: 'chord' | 'sequence'
  /** Whether pressing Ctrl, Shift or Alt alone holds it until it is released. */
  readonly pressHolds: boolean
  /** Whether every newline in typed text is the Enter key, or only one at the end. */
  readonly newLineIsEnter: 'always' | 'at the end'
}

export const thousandths: Dialect = {
  units: 'thousandths',
  resize: { rule: 'none' },
  waitMs: 5000,
  clickAtPointer: false,
  blankBetweenKeys: 'chord',
  pressHolds: false,
  newLineIsEnter: 'at the end',
}
