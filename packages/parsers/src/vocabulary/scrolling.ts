import type { Intent } from '../intent.ts'
import { type Fields, numberOf, oneOf } from '../readers/value.ts'
import { directionOf, stepsOf, stepsTowards } from './amounts.ts'
import { endIn, placeIn } from './places.ts'
import { holdIn, type Meaning, wayIn } from './pointer.ts'

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

const usualSteps = 5

/** Fewer pixels than this are steps of the wheel in truth: models write `pixels: -5` as readily. */
const fewPixels = 50

/**
 * Scrolls the content: towards a direction by steps (`amount`, `step`, `scroll_amount`, …) or by
 * `magnitude` pixels, by signed `pixels` (positive is up), or by `scroll_x` and `scroll_y` pixels
 * (positive is right and down).
 */
export const scroll: Meaning = (fields, dialect) => {
  const at = placeIn(fields)
  // `to` is where to, or only in which direction.
  const end = directionOf(fields.get('to')) === undefined ? endIn(fields) : undefined
  if (at === 'misplaced' || end === 'misplaced') return undefined
  const steps = stepsIn(fields)
  if (steps === undefined) return stroke(fields)
  const { down, right } = steps
  const distance = numberOf(fields.get('distance'))
  return { kind: 'scroll', at, to: end, down, right, distance, hold: holdIn(fields, dialect) }
}

/** From a place to a place. */
function stroke(fields: Fields): Intent | undefined {
  const way = wayIn(fields)
  return way?.from && { kind: 'stroke', from: way.from, to: way.to }
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
    return stepsTowards(direction, Math.abs(asked ?? usualSteps) || usualSteps)
  }
  const up = pixels ?? steps
  return up === undefined || up === 0 ? undefined : { down: -up, right: 0 }
}

function fromPixels(pixels: number | undefined): number | undefined {
  if (pixels === undefined) return undefined
  return Math.abs(pixels) < fewPixels ? pixels : stepsOf(pixels)
}

/** The wheel on its side: `pixels` are positive to the right here. */
export const sideways: Meaning = (fields, dialect) => {
  const at = placeIn(fields)
  const right = fromPixels(numberOf(fields.any(sidewaysNames)))
  if (at === 'misplaced' || right === undefined || right === 0) return undefined
  return { kind: 'scroll', at, down: 0, right, hold: holdIn(fields, dialect) }
}

/** A scroll whose verb already says where to. */
export function scrollTowards(direction: 'up' | 'down' | 'left' | 'right'): Meaning {
  return fields => {
    const at = placeIn(fields)
    if (at === 'misplaced') return undefined
    const steps = stepsTowards(direction, numberOf(fields.any(stepNames)) ?? usualSteps)
    return { kind: 'scroll', at, ...steps }
  }
}

/** A finger's swipe, from a place to a place or from a place towards a direction. */
export const swipe: Meaning = fields => {
  const direction = directionOf(fields.any(towardsNames))
  if (direction === undefined) return stroke(fields)
  const at = placeIn(fields)
  const end = fields.get('to') === undefined ? endIn(fields) : undefined
  if (at === 'misplaced' || end === 'misplaced') return undefined
  if (at !== undefined && end !== undefined) return { kind: 'stroke', from: at, to: end }
  return { kind: 'swipe', at, direction, distance: numberOf(fields.any(distanceNames)) }
}
