import type { Point } from '../intent.ts'
import { pairOf, pointOf } from '../readers/points.ts'
import type { Fields } from '../readers/value.ts'
import { learn } from '../readers/words.ts'

const starts = names(
  'start_box point coordinate box start_point element start start_coordinate box_2d bbox coordinates position ' +
    'location point1 startCoordinate POINT from',
)

const ends = names(
  'end_box end_point coordinate2 end end_coordinate point2 endCoordinate target destination to',
)

function names(list: string): ReadonlySet<string> {
  return new Set(list.split(' ').map(learn))
}

/** Names of an x, each with its y. */
const startPairs = new Map([
  ['x', 'y'],
  ['x1', 'y1'],
  ['start_x', 'start_y'],
  ['startX', 'startY'],
])

const endPairs = new Map([
  ['x2', 'y2'],
  ['end_x', 'end_y'],
  ['endX', 'endY'],
  ['destination_x', 'destination_y'],
  ['to_x', 'to_y'],
])

/** A place was named, but what was written there is none. */
export type Misplaced = 'misplaced'

/** Where an operation starts or happens. */
export function placeIn(fields: Fields): Point | Misplaced | undefined {
  return look(fields, starts, startPairs)
}

/** Where an operation ends. */
export function endIn(fields: Fields): Point | Misplaced | undefined {
  return look(fields, ends, endPairs)
}

function look(
  fields: Fields,
  names: ReadonlySet<string>,
  pairs: ReadonlyMap<string, string>,
): Point | Misplaced | undefined {
  let place: Point | Misplaced | undefined
  for (let at = 0; at < fields.names.length; at++) {
    const name = fields.names[at] ?? ''
    const value = fields.values[at]
    if (value === undefined || value === null) continue
    const other = pairs.get(name)
    if (other !== undefined) {
      // What is x and y by name is the place, whatever is called `element` beside it.
      return pairOf(value, fields.get(other)) ?? pointOf(value) ?? place ?? 'misplaced'
    }
    if (place === undefined && names.has(name)) place = pointOf(value) ?? 'misplaced'
  }
  return place
}
