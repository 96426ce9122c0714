import type { Point } from '../intent.ts'
import { pairOf, pointOf } from '../readers/points.ts'
import type { Fields } from '../readers/value.ts'

const starts = [
  'start_box',
  'point',
  'coordinate',
  'box',
  'start_point',
  'element',
  'start',
  'start_coordinate',
  'box_2d',
  'bbox',
  'coordinates',
  'position',
  'location',
  'point1',
  'startCoordinate',
  'POINT',
  'from',
]

const ends = [
  'end_box',
  'end_point',
  'coordinate2',
  'end',
  'end_coordinate',
  'point2',
  'endCoordinate',
  'target',
  'destination',
  'to',
]

const startPairs = [
  ['x', 'y'],
  ['x1', 'y1'],
  ['start_x', 'start_y'],
  ['startX', 'startY'],
] as const

const endPairs = [
  ['x2', 'y2'],
  ['end_x', 'end_y'],
  ['endX', 'endY'],
  ['destination_x', 'destination_y'],
  ['to_x', 'to_y'],
] as const

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
  names: readonly string[],
  pairs: readonly (readonly [string, string])[],
): Point | Misplaced | undefined {
  // Numbers that are x and y by name are the place, whatever is called `element` beside them.
  for (const [x, y] of pairs) {
    const first = fields.get(x)
    const second = fields.get(y)
    if (typeof first === 'number' && typeof second === 'number') return [first, second]
  }
  for (const name of fields.names) {
    if (!names.includes(name)) continue
    const value = fields.get(name)
    if (value !== undefined && value !== null) return pointOf(value) ?? 'misplaced'
  }
  for (const [x, y] of pairs) {
    const first = fields.get(x)
    if (first === undefined || first === null) continue
    return pairOf(first, fields.get(y)) ?? pointOf(first) ?? 'misplaced'
  }
  return undefined
}
