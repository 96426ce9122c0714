import type * as protocol from '@sandglass/protocol'
import type { z } from 'zod'
import { type Coordinate, lengthOf } from './length.ts'

type Given =
  | z.input<typeof protocol.Action>
  | z.input<typeof protocol.ElementAction>
  | z.input<typeof protocol.DoubleTap>

type Relaxed<Action> = Action extends unknown
  ? {
      readonly [Name in keyof Action as Name extends 'button'
        ? never
        : Name]: Action[Name] extends protocol.Length ? Coordinate : Action[Name]
    } & (Action extends { readonly button?: unknown } ? { readonly button?: number } : unknown)
  : never

/**
 * An action as the API describes it. Places can be numbers, which are pixels, and the button is the left one if there is none.
 *
 * @example
 * const action: ActionInput = { type: 'mouse:click', x: 640, y: 360 }
 */
export type ActionInput = Relaxed<Given>

const lengths = ['x', 'y', 'startX', 'startY', 'endX', 'endY', 'distance'] as const
const clicks = ['mouse:click', 'mouse:doubleClick', 'mouse:tripleClick']

/** The action as it is sent. */
export function wireAction(action: ActionInput): Record<string, unknown> {
  const wire: Record<string, unknown> = { ...action }
  for (const name of lengths) {
    const value = wire[name]
    if (typeof value === 'number') wire[name] = lengthOf(value)
  }
  if (clicks.includes(action.type)) wire['button'] ??= 1
  return wire
}
