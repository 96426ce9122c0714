import type { Intent } from '../intent.ts'
import { type Fields, numberOf, oneOf } from '../readers/value.ts'
import { directionOf, stepsOf, stepsTowards } from './amounts.ts'
import { endIn, placeIn } from './places.ts'
import { holdIn, type Meaning, startAndEndIn } from './pointer.ts'

const scrollXNames = oneOf('scroll_x delta_x scrollX')
const scrollYNames = oneOf('scroll_y delta_y scrollY')
const pixelsNames = oneOf('pixels pixel')
const amountNames = oneOf(
  'amount step steps step_count scroll_amount scroll_size magnitude_in_wheel_clicks clicks num_clicks times',
)
const magnitudeNames = oneOf('magnitude magnitude_in_pixels')
const directionNames = oneOf('direction scroll_direction dir to value scrolldirection')
const sidewaysNames = oneOf('pixels amount steps clicks')
const stepNames = oneOf('amount step steps step_count clicks')
const towardsNames = oneOf('direction to dir value argument')
const distanceNames = oneOf('distance dist')

const defaultSteps = 5

/** Fewer pixels are actually wheel steps: models often write `pixels: -5`. */
const fewPixels = 50

/**
 * Scrolls the content in a direction by steps (`amount`, `step`, `scroll_amount`, …) or by `magnitude` pixels, by
 * signed `pixels` (positive is up), or by `scroll_x` and `scroll_y` pixels (positive is right and down).
 */
export const scroll: Meaning = (fields, dialect) => {
  const at = placeIn(fields)
  // `to` is a target, or only a direction.
  const end = directionOf(fields.get('to')) === undefined ? endIn(fields) : undefined
  if (at === 'misplaced' || end === 'misplaced') return undefined
  const steps = stepsIn(fields)
  if (steps === undefined) return stroke(fields)
  const { down, right } = steps
  const distance = numberOf(fields.get('distance'))
  return { kind: 'scroll', at, to: end, down, right, distance, hold: holdIn(fields, dialect) }
}

/** A movement between two points. */
function stroke(fields: Fields): Intent | undefined {
  const path = startAndEndIn(fields)
  return path?.from && { kind: 'stroke', from: path.from, to: path.to }
}

function stepsIn(fields: Fields): { down: number; right: number } | undefined {
  const x = numberOf(fields.any(scrollXNames))
  const y = numberOf(fields.any(scrollYNames))
  if (x !== undefined || y !== undefined) return { down: stepsOf(y ?? 0), right: stepsOf(x ?? 0) }
  const pixels = fromPixels(numberOf(fields.any(pixelsNames)))
  const steps = numberOf(fields.any(amountNames))
  const direction = directionOf(fields.any(directionNames))
  if (direction !== undefined) {
    const magnitude = numberOf(fields.any(magnitudeNames))
    const asked = steps ?? (magnitude === undefined ? pixels : stepsOf(magnitude))
    return stepsTowards(direction, Math.abs(asked ?? defaultSteps) || defaultSteps)
  }
  const up = pixels ?? steps
  return up === undefined || up === 0 ? undefined : { down: -up, right: 0 }
}

function fromPixels(pixels: number | undefined): number | undefined {
  if (pixels === undefined) return undefined
  return Math.abs(pixels) < fewPixels ? pixels : stepsOf(pixels)
}

/** Scrolls horizontally: positive `pixels` are to the right. */
export const sideways: Meaning = (fields, dialect) => {
  const at = placeIn(fields)
  const right = fromPixels(numberOf(fields.any(sidewaysNames)))
  if (at === 'misplaced' || right === undefined || right === 0) return undefined
  return { kind: 'scroll', at, down: 0, right, hold: holdIn(fields, dialect) }
}

/** A scroll whose verb contains the direction. */
export function scrollTowards(direction: 'up' | 'down' | 'left' | 'right'): Meaning {
  return fields => {
    const at = placeIn(fields)
    if (at === 'misplaced') return undefined
    const steps = stepsTowards(direction, numberOf(fields.any(stepNames)) ?? defaultSteps)
    return { kind: 'scroll', at, ...steps }
  }
}

/** A swipe between two points, or from a point in a direction. */
export const swipe: Meaning = fields => {
  const direction = directionOf(fields.any(towardsNames))
  if (direction === undefined) return stroke(fields)
  const at = placeIn(fields)
  const end = fields.get('to') === undefined ? endIn(fields) : undefined
  if (at === 'misplaced' || end === 'misplaced') return undefined
  if (at !== undefined && end !== undefined) return { kind: 'stroke', from: at, to: end }
  return { kind: 'swipe', at, direction, distance: numberOf(fields.any(distanceNames)) }
}
