import type { Direction } from '../intent.ts'
import { type Fields, numberOf, oneOf, type Value } from '../readers/value.ts'

const msNames = oneOf('ms duration_ms milliseconds time_ms durationMs')
const timeNames = oneOf(
  'time duration seconds duration_seconds secs t timeout value wait_time waittime delay',
)

/** One day, the maxMs wait that the contract allows. */
const maxMs = 86_400_000

/** Whole milliseconds from seconds or milliseconds, within what the contract allows. */
export function milliseconds(value: number): number {
  return Math.round(Math.min(Math.max(value, 0), maxMs))
}

/** The duration of an operation in milliseconds. Models use seconds unless the name says otherwise. */
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

/** A direction in any case, or in Chinese. */
export function directionOf(value: Value | undefined): Direction | undefined {
  if (typeof value !== 'string' || value.length > 40) return undefined
  return directions.get(value) ?? directions.get(value.trim().toLowerCase())
}

/** Wheel steps in a direction; positive is down and right. */
export function stepsTowards(direction: Direction, steps: number): { down: number; right: number } {
  if (direction === 'up' || direction === 'down')
    return { down: direction === 'down' ? steps : -steps, right: 0 }
  return { down: 0, right: direction === 'right' ? steps : -steps }
}

/** How many pixels a browser scrolls per wheel step. */
const pixelsPerStep = 120

/** The wheel steps for a number of pixels. */
export function stepsOf(pixels: number): number {
  return pixels === 0 ? 0 : Math.sign(pixels) * Math.max(1, Math.round(Math.abs(pixels) / pixelsPerStep))
}
