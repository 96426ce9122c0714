import type { Dialect } from '../dialect.ts'
import type { Intents, Point } from '../intent.ts'
import { resized, type Size } from '../readers/resize.ts'
import type { Length, Screen } from '../screen.ts'
import { greatest, largestIn, properIn } from './extent.ts'
import { chooseUnit, type Unit } from './unit.ts'

/** Converts the numbers of one text to lengths on the screen. */
export interface Ruler {
  /** Whether a point can be on the screen. */
  contains(place: Point): boolean
  /** A horizontal length. `inside` clamps a coordinate to the screen; offsets from the pointer may be negative. */
  across(value: number, inside: boolean): Length
  /** A vertical length. */
  down(value: number, inside: boolean): Length
}

/** Determines the units of a text from all its intents together. */
export function rulerFor(dialect: Dialect, intents: Intents, screen: Screen | undefined): Ruler {
  const seen = seenImage(dialect, screen)
  if (seen) return rulerOf(chooseUnit(dialect.units, intents, seen).unit, seen, screen)
  const { units } = dialect
  if (units === 'pixels' || units === 'pixels-or-thousandths') return bareRuler
  const largest = greatest(intents, largestIn)
  // No model means less than a thousandth of the screen, so numbers that are all within 0 to 1 are fractions.
  if (largest > 0 && largest <= 1 && greatest(intents, properIn) > 0) return fractionRuler
  if (units === 'thousandths' || (units === 'thousandths-or-pixels' && largest <= 1000)) {
    return thousandthsRuler
  }
  return bareRuler
}

/** The size of the image that pixels refer to, if the caller knows enough. */
export function seenImage(dialect: Dialect, screen: Screen | undefined): Size | undefined {
  const width = screen?.imageWidth ?? screen?.screenWidth
  const height = screen?.imageHeight ?? screen?.screenHeight
  if (!isSize(width) || !isSize(height)) return undefined
  return resized({ width, height }, dialect.resize)
}

function rulerOf(unit: Unit, seen: Size, screen: Screen | undefined): Ruler {
  if (unit === 'px') return pixelRuler(seen, screen)
  return unit === 'thousandths' ? thousandthsRuler : fractionRuler
}

const thousandthsRuler: Ruler = partsRuler(1000)
const fractionRuler: Ruler = partsRuler(1)

function partsRuler(whole: number): Ruler {
  const length = (value: number) => fraction(value, whole)
  return {
    contains: ({ x, y }) => x >= 0 && y >= 0 && x <= whole && y <= whole,
    across: length,
    down: length,
  }
}

/** `value / whole` as a fraction of integers, accurate to four decimals. */
export function fraction(value: number, whole: number): Length {
  if (Number.isInteger(value)) return { type: '/', numerator: value, denominator: whole }
  let scale = 1
  while (scale < 10_000 && Math.abs(value * scale - Math.round(value * scale)) > 1e-6) scale *= 10
  return { type: '/', numerator: Math.round(value * scale), denominator: whole * scale }
}

export function pixels(value: number): Length {
  return { type: 'px', value: Math.floor(value) }
}

function pixelRuler(seen: Size, screen: Screen | undefined): Ruler {
  return {
    contains: isPositive,
    across: axisRuler(seen.width, screen?.screenWidth),
    down: axisRuler(seen.height, screen?.screenHeight),
  }
}

/** Pixels of a screen of unknown size. */
const bareRuler: Ruler = { contains: isPositive, across: pixels, down: pixels }

function isPositive({ x, y }: Point): boolean {
  return x >= 0 && y >= 0
}

function isSize(value: number | undefined): value is number {
  return value !== undefined && Number.isFinite(value) && value >= 1
}

/** Converts pixels of the image to pixels of the screen if its size is known, else to a fraction of the image. */
function axisRuler(seen: number, screen: number | undefined): (value: number, inside: boolean) => Length {
  if (!isSize(screen)) return (value, inside) => fraction(inside ? Math.min(value, seen) : value, seen)
  return (value, inside) => {
    const pixel = Math.floor((value * screen) / seen)
    return { type: 'px', value: inside ? Math.min(pixel, Math.floor(screen) - 1) : pixel }
  }
}
