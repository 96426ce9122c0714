import type { Dialect } from '../dialect.ts'
import type { Intents, Point } from '../intent.ts'
import { modifiers } from '../readers/key-names.ts'
import { pressesOf } from '../readers/keys.ts'
import { pointOf } from '../readers/points.ts'
import { type Fields, numberOf, oneOf, type Value } from '../readers/value.ts'
import { timeIn } from './amounts.ts'
import { endIn, type Misplaced, placeIn } from './places.ts'

const keysNames = oneOf('keys key hold_keys holdKey modifiers modifier text')
const buttonNames = oneOf('button mouse_button mousebutton')
const clicksNames = oneOf('clicks num_clicks click_count count')

/** Converts the fields of an operation to intents; undefined if they are invalid. */
export type Meaning = (fields: Fields, dialect: Dialect) => Intents | undefined

const buttons: Readonly<Record<string, number>> = {
  left: 1,
  right: 2,
  middle: 4,
  wheel: 4,
  center: 4,
  back: 8,
  forward: 16,
  primary: 1,
  secondary: 2,
  '1': 1,
  '2': 4,
  '3': 2,
}

export function buttonOf(value: Value | undefined): number | undefined {
  if (value === undefined || value === null) return 1
  const name = String(value).toLowerCase()
  return Object.hasOwn(buttons, name) ? buttons[name] : undefined
}

function countOf(value: Value | undefined, usual: 1 | 2 | 3): 1 | 2 | 3 | undefined {
  const count = numberOf(value)
  if (count === undefined) return usual
  return count === 1 || count === 2 || count === 3 ? count : undefined
}

/** The keys held during the operation; others are ignored. */
export function holdIn(fields: Fields, dialect: Dialect): string | undefined {
  const keys = fields.any(keysNames)
  if (keys === undefined || keys === '' || (Array.isArray(keys) && keys.length === 0)) return undefined
  const presses = pressesOf(keys, dialect.blankBetweenKeys)
  const chord = presses?.length === 1 ? presses[0] : undefined
  return chord?.split('+').every(key => modifiers.has(key) || key === 'space') ? chord : undefined
}

export function click(button: number | undefined, count: 1 | 2 | 3): Meaning {
  return (fields, dialect) => {
    const at = placeIn(fields)
    if (at === 'misplaced' || (at === undefined && !dialect.clickAtPointer)) return undefined
    const pressed = button ?? buttonOf(fields.any(buttonNames))
    const times = countOf(fields.any(clicksNames), count)
    if (pressed === undefined || times === undefined) return undefined
    return { kind: 'tap', at, button: pressed, count: times, hold: holdIn(fields, dialect) }
  }
}

export const move: Meaning = (fields, dialect) => {
  const at = placeIn(fields) ?? endIn(fields)
  return isPoint(at) ? { kind: 'move', at, hold: holdIn(fields, dialect) } : undefined
}

export function buttonChange(kind: 'buttonDown' | 'buttonUp'): Meaning {
  return fields => {
    const at = placeIn(fields)
    const button = buttonOf(fields.any(buttonNames))
    return at === 'misplaced' || button === undefined ? undefined : { kind, at, button }
  }
}

export const longPress: Meaning = fields => {
  const at = placeIn(fields)
  return isPoint(at) ? { kind: 'longPress', at, duration: timeIn(fields) || 1000 } : undefined
}

/** A drag between two points, along a path, or from the pointer to a single point. */
export const drag: Meaning = (fields, dialect) => {
  const button = buttonOf(fields.get('button'))
  const path = startAndEndIn(fields)
  if (path === undefined || button === undefined) return undefined
  return { kind: 'drag', from: path.from, to: path.to, button, hold: holdIn(fields, dialect) }
}

/** Names that can only be a start. */
const starts = oneOf(
  'start_box start_point start start_coordinate startCoordinate start_coords start_coordinates from point1 ' +
    'from_coord x1 start_x startX start_position startbox',
)
const pathNames = oneOf('path normalized_path')

/**
 * The start and end of a movement. With both `start_coordinate` and `coordinate`, the second is the end. A single point
 * is the end, unless its name says that it is the start: then the end is missing.
 */
export function startAndEndIn(fields: Fields): { from?: Point; to: Point } | undefined {
  const path = fields.any(pathNames)
  if (Array.isArray(path)) {
    const from = pointOf(path[0])
    const to = pointOf(path.at(-1))
    return path.length > 1 && from && to ? { from, to } : undefined
  }
  const from = placeIn(fields)
  const to = endIn(fields)
  if (from === 'misplaced' || to === 'misplaced') return undefined
  const target = pointOf(fields.get('coordinate'))
  const source = pointOf(fields.get('start_coordinate'))
  if (source && target) return { from: source, to: target }
  if (to === undefined) return from && fields.any(starts) === undefined ? { to: from } : undefined
  return from === undefined ? { to } : { from, to }
}

export function isPoint(place: Point | Misplaced | undefined): place is Point {
  return place !== undefined && place !== 'misplaced'
}
