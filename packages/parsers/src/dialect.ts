import type { Resize } from './readers/resize.ts'

/**
 * What a coordinate counts. `thousandths-or-pixels` and `pixels-or-fractions` are families whose versions
 * differ: one number that only fits the second reading decides for the whole text.
 */
export type Units = 'thousandths' | 'thousandths-or-pixels' | 'pixels' | 'pixels-or-fractions'

/** Where families that share their words still mean different things by them. */
export interface Dialect {
  readonly units: Units
  /** How the family's image processor sizes the picture it is shown; pixels are counted on the result. */
  readonly resize: Resize
  /** Milliseconds of a wait that names no time. */
  readonly waitMs: number
  /** A click without a place is at the pointer; elsewhere such a click is a mistake. */
  readonly clickAtPointer: boolean
  /** What a blank between two key names means: one chord, or one press after the other. */
  readonly blankBetweenKeys: 'chord' | 'sequence'
  /** Whether to press Ctrl, Shift or Alt alone is to hold it, until it is released. */
  readonly pressHolds: boolean
  /** Whether each new line of typed text is the Enter key, or only one that ends the text. */
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
