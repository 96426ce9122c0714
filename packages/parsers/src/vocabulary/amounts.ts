import type { Direction } from '../intent.ts'
import { type Fields, numberOf, oneOf, type Value } from '../readers/value.ts'

const msNames = oneOf('ms duration_ms milliseconds time_ms durationMs')
const timeNames = oneOf(
  'time duration seconds duration_seconds secs t timeout value wait_time waittime delay',
)

/** A day; the contract allows no longer wait. */
const longest = 86_400_000

/** Whole milliseconds from seconds or milliseconds, within what the contract allows. */
export function milliseconds(value: number): number {
  return Math.round(Math.min(Math.max(value, 0), longest))
}

/** The time that an operation takes, in milliseconds; models count in seconds unless the name says else. */
export function timeIn(fields: Fields): number | undefined {
  const ms = numberOf(fields.any(msNames))
  if (ms !== undefined) return milliseconds(ms)
  const seconds = numberOf(fields.any(timeNames))
  return seconds === undefined ? undefined : milliseconds(seconds * 1000)
}

const directions = new Map<string, Direction>()
for (const [direction, chinese] of [
  ['up', '上'],
  ['down', '下'],
  ['left', '左'],
  ['right', '右'],
] as const) {
  for (const word of [direction, `${direction}ward`, `${direction}wards`, chinese, `向${chinese}`])
    directions.set(word, direction)
}

/** A direction in whatever case, or in Chinese. */
export function directionOf(value: Value | undefined): Direction | undefined {
  if (typeof value !== 'string' || value.length > 40) return undefined
  return directions.get(value) ?? directions.get(value.trim().toLowerCase())
}

/** Steps of the wheel in a direction: positive down and right. */
export function stepsTowards(direction: Direction, steps: number): { down: number; right: number } {
  if (direction === 'up' || direction === 'down')
    return { down: direction === 'down' ? steps : -steps, right: 0 }
  return { down: 0, right: direction === 'right' ? steps : -steps }
}

/** A browser scrolls this many pixels by one step of the wheel. */
const pixelsAStep = 120

/** Steps of the wheel for a number of pixels. */
export function stepsOf(pixels: number): number {
  return pixels === 0 ? 0 : Math.sign(pixels) * Math.max(1, Math.round(Math.abs(pixels) / pixelsAStep))
}
