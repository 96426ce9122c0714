import type { Point } from '../intent.ts'
import { internName, maxNames } from '../readers/names.ts'
import { endNames, startNames } from '../readers/place-names.ts'
import { pairOf, pointOf } from '../readers/points.ts'
import type { Fields, Names, Value } from '../readers/value.ts'

/** For each name of an x coordinate, by its number, the name of its y coordinate. */
function pairs(...list: readonly (readonly [x: string, y: string])[]): readonly (string | undefined)[] {
  const others = new Array<string | undefined>(maxNames).fill(undefined)
  for (const [x, y] of list) others[internName(x)] = y
  return others
}

const startPairs = pairs(['x', 'y'], ['x1', 'y1'], ['start_x', 'start_y'], ['startX', 'startY'])
const endPairs = pairs(
  ['x2', 'y2'],
  ['end_x', 'end_y'],
  ['endX', 'endY'],
  ['destination_x', 'destination_y'],
  ['to_x', 'to_y'],
)

/** A position was given, but is invalid. */
export type Misplaced = 'misplaced'

/** Where an operation starts or takes place. */
export function placeIn(fields: Fields): Point | Misplaced | undefined {
  return look(fields, startNames, startPairs)
}

/** Where an operation ends. */
export function endIn(fields: Fields): Point | Misplaced | undefined {
  return look(fields, endNames, endPairs)
}

/** An argument without a value counts as not given; `[[]]` is an empty list of boxes. */
function isEmpty(value: Value): boolean {
  if (!Array.isArray(value)) return value === null || value === ''
  const [only] = value
  return only === undefined || (Array.isArray(only) && only.length === 0)
}

function look(
  fields: Fields,
  names: Names,
  pairs: readonly (string | undefined)[],
): Point | Misplaced | undefined {
  let place: Point | Misplaced | undefined
  for (let field = fields.first; field !== undefined; field = field.next) {
    const { number, value } = field
    if (number === 0 || isEmpty(value)) continue
    const other = pairs[number]
    if (other !== undefined) {
      // Fields named x and y take precedence over an `element` beside them.
      return pairOf(value, fields.get(other)) ?? pointOf(value) ?? place ?? 'misplaced'
    }
    if (place === undefined && names[number] !== 0) place = pointOf(value) ?? 'misplaced'
  }
  return place
}
