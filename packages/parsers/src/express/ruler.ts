import type { Chain } from '../chain.ts'
import type { Dialect } from '../dialect.ts'
import { type Intent, isList, type Point } from '../intent.ts'
import type { Piece } from '../piece.ts'
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
export function rulerFor(dialect: Dialect, pieces: Chain<Piece>, screen: Screen | undefined): Ruler {
  const { units } = dialect
  if (units === 'pixels') return pixelRuler(dialect, screen)
  const extent = new Extent()
  for (let piece = pieces.first; piece !== undefined; piece = piece.next) {
    for (let operation = piece.operation; operation !== undefined; operation = operation.next) {
      const { intents } = operation
      if (!isList(intents)) extent.take(intents)
      else for (const intent of intents) extent.take(intent)
    }
  }
  // No model means less than a thousandth of the screen: numbers that all lie in 0…1 are fractions of it.
  if (extent.proper && extent.largest <= 1) return fractionRuler
  if (units === 'thousandths' || (units === 'thousandths-or-pixels' && extent.largest <= 1000)) {
    return thousandthsRuler
  }
  return pixelRuler(dialect, screen)
}

/** How large the coordinates of a text are, and whether one lies between 0 and 1. */
class Extent {
  largest = 0
  proper = false

  take(intent: Intent): void {
    switch (intent.kind) {
      case 'drag':
      case 'stroke':
        if (intent.from !== undefined) this.#point(intent.from)
        if (intent.kind === 'stroke' || !intent.relative) this.#point(intent.to)
        break
      case 'tap':
      case 'move':
        if (intent.at !== undefined && !intent.relative) this.#point(intent.at)
        break
      case 'longPress':
      case 'scroll':
      case 'swipe':
        if (intent.at !== undefined) this.#point(intent.at)
    }
  }

  #point({ x, y }: Point): void {
    if (x > this.largest) this.largest = x
    if (y > this.largest) this.largest = y
    if ((x > 0 && x < 1) || (y > 0 && y < 1)) this.proper = true
  }
}

const thousandthsRuler: Ruler = partsRuler(1000)
const fractionRuler: Ruler = partsRuler(1)

function partsRuler(whole: number): Ruler {
  return {
    place: ({ x, y }) => {
      if (x < 0 || y < 0 || x > whole || y > whole) return undefined
      return { x: fraction(x, whole), y: fraction(y, whole) }
    },
    offset: ({ x, y }) => ({ x: fraction(x, whole), y: fraction(y, whole) }),
    distance: value => fraction(value, whole),
  }
}

/** `value / whole` with whole numbers only, to four decimals. */
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
  if (screen === undefined || !isSize(width) || !isSize(height)) {
    return {
      place: ({ x, y }) => (x < 0 || y < 0 ? undefined : { x: pixels(x), y: pixels(y) }),
      offset: ({ x, y }) => ({ x: pixels(x), y: pixels(y) }),
      distance: pixels,
    }
  }
  const seen = resized({ width, height }, dialect.resize)
  const across = axisRuler(seen.width, screen.screenWidth)
  const down = axisRuler(seen.height, screen.screenHeight)
  return {
    place: ({ x, y }) => (x < 0 || y < 0 ? undefined : { x: across(x, true), y: down(y, true) }),
    offset: ({ x, y }) => ({ x: across(x, false), y: down(y, false) }),
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
