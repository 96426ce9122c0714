import type { Units } from '../dialect.ts'
import type { Intents } from '../intent.ts'
import type { Size } from '../readers/resize.ts'
import { acrossIn, downIn, fractionIn, greatest } from './extent.ts'

/** The unit of a text's coordinates: pixels of the image that the model saw, or parts of it. */
export type Unit = 'px' | 'thousandths' | 'fractions'

/** The unit of all coordinates of one text, and why it is that one. */
export interface UnitChoice {
  readonly unit: Unit
  readonly reason: string
  /** Whether all coordinates are on the screen in this unit. If they are not, they are on it in no unit. */
  readonly fits: boolean
}

/** The units that a family's versions use, the usual one first. Fractions are recognised in all but `pixels`. */
const usual: Readonly<Record<Units, readonly ['px' | 'thousandths', ('px' | 'thousandths')?]>> = {
  thousandths: ['thousandths', 'px'],
  'thousandths-or-pixels': ['thousandths', 'px'],
  pixels: ['px'],
  'pixels-or-thousandths': ['px', 'thousandths'],
  'pixels-or-fractions': ['px'],
}

const names = { px: 'pixels', thousandths: 'thousandths' }

/**
 * Chooses the unit of a text for an image of known size. All coordinates have the same unit, so one that fits only one
 * unit decides for all. If several units fit, it is the usual one of the family.
 */
export function chooseUnit(units: Units, intents: Intents, seen: Size): UnitChoice {
  const [x, y] = [greatest(intents, acrossIn), greatest(intents, downIn)]
  const largest = Math.max(x, y)
  if (units !== 'pixels' && greatest(intents, fractionIn) > 0) {
    if (largest <= 1) return chosen('fractions', 'All coordinates are between 0 and 1.')
    return unfit(units, largest, `Some coordinates are between 0 and 1, but the largest is ${largest}.`)
  }
  const [first, other] = usual[units]
  const problem = { px: pixelProblem(x, y, seen), thousandths: thousandthsProblem(largest) }
  const decided = (unit: 'px' | 'thousandths', why: string) =>
    chosen(unit, `${why}, so all coordinates are ${names[unit]}.`)
  if (problem[first] === undefined) {
    if (other === undefined) return chosen(first, `Models of this type always use ${names[first]}.`)
    const otherProblem = problem[other]
    if (otherProblem !== undefined) return decided(first, otherProblem)
    return chosen(
      first,
      `The coordinates could be pixels or thousandths; models of this type usually use ${names[first]}.`,
    )
  }
  if (other === undefined) return unfit(units, largest, `${problem[first]}.`)
  if (problem[other] === undefined) return decided(other, problem[first])
  return unfit(units, largest, `${problem[first]}, and ${problem[other]}.`)
}

function chosen(unit: Unit, reason: string): UnitChoice {
  return { unit, reason, fits: true }
}

/** Returns the unit that the family's versions would use. */
function unfit(units: Units, largest: number, reason: string): UnitChoice {
  const [first] = usual[units]
  return { unit: units === 'thousandths-or-pixels' && largest > 1000 ? 'px' : first, reason, fits: false }
}

function thousandthsProblem(largest: number): string | undefined {
  return largest > 1000 ? `${largest} is more than 1000 thousandths` : undefined
}

function pixelProblem(x: number, y: number, { width, height }: Size): string | undefined {
  const image = `an image of ${width}x${height} pixels`
  if (x > width) return `x = ${x} is outside ${image}`
  return y > height ? `y = ${y} is outside ${image}` : undefined
}
