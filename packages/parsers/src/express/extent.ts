import { type Intent, type Intents, isList, type Point } from '../intent.ts'

/** The maximum of a measure over all intents, at least 0. */
export function greatest(intents: Intents, measure: (place: Point) => number): number {
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

export function largestIn({ x, y }: Point): number {
  return Math.max(x, y)
}

/** 1 if a coordinate is strictly between 0 and 1. */
export function properIn({ x, y }: Point): number {
  return (x > 0 && x < 1) || (y > 0 && y < 1) ? 1 : 0
}

export function hasPlace(intents: Intents): boolean {
  return greatest(intents, () => 1) > 0
}

export function acrossIn({ x }: Point): number {
  return x
}

export function downIn({ y }: Point): number {
  return y
}

/** 1 if the point can only be a fraction of the screen. */
export function fractionIn(place: Point): number {
  return largestIn(place) <= 1 ? properIn(place) : 0
}
