import type * as protocol from '@sandglass/protocol'

/** A place or distance on the screen: pixels, or a fraction of the screen's width (for x) or height (for y). */
export type Coordinate = number | protocol.Length

/**
 * A fraction of the screen, for places that do not depend on its size.
 *
 * @example
 * await box.mouse.click(fraction(0.5), fraction(0.25)) // the middle of the upper half
 */
export function fraction(value: number): protocol.Length {
  return { type: '/', numerator: value, denominator: 1 }
}

export function lengthOf(coordinate: Coordinate): protocol.Length {
  return typeof coordinate === 'number' ? { type: 'px', value: coordinate } : coordinate
}
