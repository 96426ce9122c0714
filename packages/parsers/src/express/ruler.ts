import type { Dialect } from '../dialect.ts'
import { type Intent, type Intents, isList, type Point } from '../intent.ts'
import { resized } from '../readers/resize.ts'
import type { Length, Screen } from '../screen.ts'

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
  const { units } = dialect
  if (units === 'pixels') return pixelRuler(dialect, screen)
  const largest = greatest(intents, largestIn)
  // No model means less than a thousandth of the screen, so numbers that are all within 0 to 1 are fractions.
  if (largest > 0 && largest <= 1 && greatest(intents, properIn) > 0) return fractionRuler
  if (units === 'thousandths' || (units === 'thousandths-or-pixels' && largest <= 1000)) {
    return thousandthsRuler
  }
  return pixelRuler(dialect, screen)
}

/** The maximum of a measure over all intents, at least 0. */
function greatest(intents: Intents, measure: (place: Point) => number): number {
  if (!isList(intents)) return Math.max(0, measured(intents, measure))
  let found = 0
  for (const intent of intents) found = Math.max(found, measured(intent, measure))
  return found
}

/** The maximum of a measure over the points of an intent; offsets from the pointer do not count. */
function measured(intent: Intent, measure: (place: Point) => number): number {
  switch (intent.kind) {
    case 'drag':
      return Math.max(
        intent.from === undefined ? 0 : measure(intent.from),
        intent.relative ? 0 : measure(intent.to),
      )
    case 'stroke':
      return Math.max(measure(intent.from), measure(intent.to))
    case 'tap':
    case 'move':
      return intent.at === undefined || intent.relative ? 0 : measure(intent.at)
    case 'longPress':
    case 'scroll':
    case 'swipe':
      return intent.at === undefined ? 0 : measure(intent.at)
    default:
      return 0
  }
}

function largestIn({ x, y }: Point): number {
  return Math.max(x, y)
}

/** 1 if a coordinate is strictly between 0 and 1. */
function properIn({ x, y }: Point): number {
  return (x > 0 && x < 1) || (y > 0 && y < 1) ? 1 : 0
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

function pixelRuler(dialect: Dialect, screen: Screen | undefined): Ruler {
  const width = screen?.imageWidth ?? screen?.screenWidth
  const height = screen?.imageHeight ?? screen?.screenHeight
  if (screen === undefined || !isSize(width) || !isSize(height)) return bareRuler
  const seen = resized({ width, height }, dialect.resize)
  return {
    contains: isPositive,
    across: axisRuler(seen.width, screen.screenWidth),
    down: axisRuler(seen.height, screen.screenHeight),
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
