import type { Dialect } from '../dialect.ts'
import type { Intent, Point } from '../intent.ts'
import { resized } from '../readers/resize.ts'
import type { Length, Screen } from '../screen.ts'

/** Turns the numbers of one text into lengths on the screen. */
export interface Ruler {
  /** The two lengths of a place, or undefined for one that cannot be on the screen. */
  place(point: Point): { x: Length; y: Length } | undefined
  /** The two lengths of a way from the pointer, which may be negative. */
  offset(point: Point): { x: Length; y: Length }
  /** How far along one axis. */
  distance(value: number, axis: 'x' | 'y'): Length
}

/** Settles, for all intents of a text at once, what its numbers count. */
export function rulerFor(dialect: Dialect, intents: readonly Intent[], screen: Screen | undefined): Ruler {
  switch (dialect.units) {
    case 'thousandths':
      return areFractions(intents) ? fractionRuler : thousandthsRuler
    case 'thousandths-or-pixels':
      if (anyNumber(intents, value => value > 1000)) return pixelRuler(dialect, screen)
      return areFractions(intents) ? fractionRuler : thousandthsRuler
    case 'pixels':
      return pixelRuler(dialect, screen)
    case 'pixels-or-fractions':
      return areFractions(intents) ? fractionRuler : pixelRuler(dialect, screen)
  }
}

/** No model means less than a thousandth of the screen: numbers that all lie in 0…1 are fractions of it. */
function areFractions(intents: readonly Intent[]): boolean {
  return anyNumber(intents, value => value > 0 && value < 1) && !anyNumber(intents, value => value > 1)
}

function anyNumber(intents: readonly Intent[], test: (value: number) => boolean): boolean {
  for (const intent of intents) {
    if ('at' in intent && intent.at !== undefined && intent.kind !== 'move' && points(intent.at, test))
      return true
    if (intent.kind === 'move' && !intent.relative && points(intent.at, test)) return true
    if ('to' in intent && !('relative' in intent && intent.relative) && points(intent.to, test)) return true
    if ('from' in intent && intent.from !== undefined && points(intent.from, test)) return true
  }
  return false
}

function points(point: Point, test: (value: number) => boolean): boolean {
  return test(point[0]) || test(point[1])
}

const thousandthsRuler: Ruler = partsRuler(1000)
const fractionRuler: Ruler = partsRuler(1)

function partsRuler(whole: number): Ruler {
  return {
    place: ([x, y]) =>
      x < 0 || y < 0 || x > whole || y > whole ? undefined : { x: fraction(x, whole), y: fraction(y, whole) },
    offset: ([x, y]) => ({ x: fraction(x, whole), y: fraction(y, whole) }),
    distance: value => fraction(value, whole),
  }
}

/** `value / whole` with whole numbers only, to four decimals. */
export function fraction(value: number, whole: number): Length {
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
  if (screen === undefined || !isSize(width) || !isSize(height)) {
    return {
      place: ([x, y]) => (x < 0 || y < 0 ? undefined : { x: pixels(x), y: pixels(y) }),
      offset: ([x, y]) => ({ x: pixels(x), y: pixels(y) }),
      distance: pixels,
    }
  }
  const seen = resized({ width, height }, dialect.resize)
  const across = axisRuler(seen.width, screen.screenWidth)
  const down = axisRuler(seen.height, screen.screenHeight)
  return {
    place: ([x, y]) => (x < 0 || y < 0 ? undefined : { x: across(x, true), y: down(y, true) }),
    offset: ([x, y]) => ({ x: across(x, false), y: down(y, false) }),
    distance: (value, axis) => (axis === 'x' ? across(value, true) : down(value, true)),
  }
}

function isSize(value: number | undefined): value is number {
  return value !== undefined && Number.isFinite(value) && value >= 1
}

/** Pixels of the image as pixels of the screen where its size is known, else as a fraction of the image. */
function axisRuler(seen: number, screen: number | undefined): (value: number, inside: boolean) => Length {
  if (!isSize(screen)) return (value, inside) => fraction(inside ? Math.min(value, seen) : value, seen)
  return (value, inside) => {
    const pixel = Math.floor((value * screen) / seen)
    return { type: 'px', value: inside ? Math.min(pixel, Math.floor(screen) - 1) : pixel }
  }
}
