import type { Length } from '@sandglass/protocol'
import { MachineError } from '../contract/errors.ts'
import type { Point } from '../contract/rect.ts'
import type { ScreenSize } from '../contract/spec.ts'

/** The pixel that is meant; one outside the screen is refused, never moved to its edge. */
export function placeOf(x: Length, y: Length, screen: ScreenSize, from?: Point): Point {
  return {
    x: pixelOf('x', x, screen.width, screen, from?.x),
    y: pixelOf('y', y, screen.height, screen, from?.y),
  }
}

function pixelOf(axis: 'x' | 'y', length: Length, extent: number, screen: ScreenSize, from?: number): number {
  const pixel = from === undefined ? absolute(length, extent) : from + offset(length, extent)
  if (pixel >= 0 && pixel < extent) return pixel
  throw new MachineError(
    'INVALID',
    `${axis} is ${show(length)}${from === undefined ? '' : ` from ${from}`}, which is outside the screen: it is ${screen.width}x${screen.height}, so ${axis} goes from 0 to ${extent - 1}`,
  )
}

/** A fraction of 1 is the last pixel. */
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
