import { z } from 'zod'
import type { Length } from '../length.ts'
import type { Scale } from './scale.ts'
import { ToolError } from './tool-error.ts'

/**
 * [x, y] in pixels of the last picture. It is an array of length two, because some clients do not support tuples in
 * schemas.
 */
export const Coordinate = z
  .array(z.number())
  .length(2, 'must be [x, y]')
  .meta({ description: '[x, y] in pixels of the last picture, from its upper left corner.' })
export type Coordinate = z.infer<typeof Coordinate>

export interface Place {
  readonly x: Length
  readonly y: Length
}

/** Converts a coordinate of the picture to the place on the screen that the model means. */
export function placeOn(scale: Scale, name: string, [x = -1, y = -1]: Coordinate): Place {
  const { width, height } = scale.picture
  const point = scale.toScreen({ x, y })
  if (!point)
    throw new ToolError(
      `${name} [${x}, ${y}] is outside the picture, which is ${width} wide and ${height} high: x goes from 0 to ${width - 1}, y from 0 to ${height - 1}. Look at the last picture again and use its pixels.`,
    )
  return { x: { type: 'px', value: point.x }, y: { type: 'px', value: point.y } }
}

/** Returns a field that the action requires, and throws an error that says how to give it if it is missing. */
export function required<T>(value: T | undefined, field: string, action: string, how: string): T {
  if (value === undefined) throw new ToolError(`${action} needs ${field}: ${how}.`)
  return value
}
