import type { Length } from '@sandglass/protocol'
import { MachineError } from '../contract/errors.ts'
import type { Point } from '../contract/rect.ts'
import type { ScreenSize } from '../contract/spec.ts'

/**
 * Resolves coordinates to a pixel: absolute, or relative to `origin` where one is given. A point outside the screen fails
 * with INVALID. It is never moved to the edge, because a click there would hit something that nobody meant.
 */
export function resolvePoint(x: Length, y: Length, screen: ScreenSize, origin?: Point): Point {
  return {
    x: pixelOf('x', x, screen.width, screen, origin?.x),
    y: pixelOf('y', y, screen.height, screen, origin?.y),
  }
}

function pixelOf(
  axis: 'x' | 'y',
  length: Length,
  extent: number,
  screen: ScreenSize,
  origin?: number,
): number {
  const pixel = origin === undefined ? absolute(length, extent) : origin + offset(length, extent)
  if (pixel >= 0 && pixel < extent) return pixel
  throw new MachineError(
    'INVALID',
    `${axis} is ${show(length)}${origin === undefined ? '' : ` from ${origin}`}, which is outside the screen: it is ${screen.width}x${screen.height}, so ${axis} goes from 0 to ${extent - 1}`,
  )
}

/** A fraction of 1 means the last pixel. */
function absolute(length: Length, extent: number): number {
  if (length.type === 'px') return Math.floor(length.value)
  const fraction = length.numerator / length.denominator
  return fraction >= 0 && fraction <= 1 ? Math.min(Math.floor(fraction * extent), extent - 1) : -1
}

function offset(length: Length, extent: number): number {
  return Math.trunc(length.type === 'px' ? length.value : (length.numerator / length.denominator) * extent)
}

function show(length: Length): string {
  return length.type === 'px' ? `${length.value} px` : `${length.numerator}/${length.denominator}`
}
