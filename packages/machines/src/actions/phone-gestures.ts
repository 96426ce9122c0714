import { setTimeout as pause } from 'node:timers/promises'
import type { Length } from '@sandglass/protocol'
import { MachineError } from '../contract/errors.ts'
import type { Point } from '../contract/rect.ts'
import type { Screen } from '../contract/screen.ts'
import type { ScreenSize } from '../contract/spec.ts'
import type { PhoneAction, PhoneTarget } from './phone-action.ts'
import { resolvePoint } from './resolve-point.ts'
import { requireMaxWait } from './wait.ts'

type ActionOf<T extends PhoneAction['type']> = Extract<PhoneAction, { type: T }>

const swipeMs = 300
const dragMs = 600
const betweenTapsMs = 80

/** One notch of a wheel moves the finger by this fraction of the screen. */
const notch = 0.1

/** Gestures end this far from the edges, because a phone takes a finger at the edge for a system gesture. */
const marginPx = 4

/** Taps once with one finger. */
export async function tapAt({ x, y }: ActionOf<'touch:tap'>, target: PhoneTarget): Promise<void> {
  await tap(resolvePoint(x, y, await target.screen.size()), 1, target)
}

/** Taps twice, quickly enough for the phone to count a double tap. */
export async function doubleTapAt(
  { x, y }: ActionOf<'mobile:doubleTap'>,
  target: PhoneTarget,
): Promise<void> {
  await tap(resolvePoint(x, y, await target.screen.size()), 2, target)
}

/** Performs a click or double click of the left mouse button with a finger. */
export async function tapByMouse(
  action: ActionOf<'mouse:click' | 'mouse:doubleClick'>,
  target: PhoneTarget,
): Promise<void> {
  requireFinger(action)
  const { screen } = target
  const at = resolvePoint(action.x, action.y, await screen.size(), await origin(action.relative, screen))
  await tap(at, action.type === 'mouse:click' ? 1 : 2, target)
}

/** Holds a finger in one place. */
export async function longPress(
  { x, y, duration }: ActionOf<'touch:longPress'>,
  { phone, screen, signal }: PhoneTarget,
): Promise<void> {
  requireMaxWait(duration)
  const at = resolvePoint(x, y, await screen.size())
  await phone.touch({ from: at, to: at, durationMs: Math.max(1, Math.round(duration)) }, { signal })
}

/** Drags a finger from one point to another, slowly enough to move what is below it. */
export async function dragBetween(
  { startX, startY, endX, endY }: ActionOf<'touch:drag'>,
  { phone, screen, signal }: PhoneTarget,
): Promise<void> {
  const size = await screen.size()
  const from = resolvePoint(startX, startY, size)
  await phone.touch({ from, to: resolvePoint(endX, endY, size), durationMs: dragMs }, { signal })
}

/** Performs a drag of the left mouse button with a finger. */
export async function dragByMouse(
  action: ActionOf<'mouse:drag'>,
  { phone, screen, signal }: PhoneTarget,
): Promise<void> {
  requireFinger(action)
  const size = await screen.size()
  const from = resolvePoint(action.startX, action.startY, size, await origin(action.startRelative, screen))
  const to = resolvePoint(action.endX, action.endY, size, action.endRelative ? from : undefined)
  await phone.touch({ from, to, durationMs: dragMs }, { signal })
}

/** The direction in which the finger moves; the content moves with it. */
const directions = { up: [0, -1], down: [0, 1], left: [-1, 0], right: [1, 0] } as const

/** Swipes in a direction. A swipe that would leave the screen ends at its margin. */
export async function swipe(
  action: ActionOf<'touch:swipe'>,
  { phone, screen, signal }: PhoneTarget,
): Promise<void> {
  const size = await screen.size()
  const from = resolvePoint(action.x, action.y, size)
  const [x, y] = directions[action.direction]
  const distance = lengthOf(action.distance, x === 0 ? size.height : size.width)
  const to = onScreen({ x: from.x + x * distance, y: from.y + y * distance }, size)
  await phone.touch({ from, to, durationMs: swipeMs }, { signal })
}

/** Performs the notches of a mouse wheel with a swipe: scrolling down moves the finger up. */
export async function scrollByMouse(
  action: ActionOf<'mouse:scroll'>,
  { phone, screen, signal }: PhoneTarget,
): Promise<void> {
  requireFinger(action)
  const size = await screen.size()
  const from = resolvePoint(action.x, action.y, size, await origin(action.relative, screen))
  const to = onScreen(
    {
      x: from.x - action.stepHorizontal * notch * size.width,
      y: from.y - action.stepVertical * notch * size.height,
    },
    size,
  )
  await phone.touch({ from, to, durationMs: swipeMs }, { signal })
}

async function origin(isRelative: boolean | undefined, screen: Screen): Promise<Point | undefined> {
  return isRelative ? (await screen.input()).taken() : undefined
}

async function tap(at: Point, times: number, { phone, signal }: PhoneTarget): Promise<void> {
  for (let count = 0; count < times; count++) {
    if (count > 0) await pause(betweenTapsMs, undefined, { signal })
    await phone.touch({ from: at, to: at, durationMs: 0 }, { signal })
  }
}

/** Refuses other buttons and held keys: a finger has one button, and nobody holds a key while touching a phone. */
function requireFinger(action: { readonly button?: number; readonly holdKey?: string | undefined }): void {
  if (action.button !== undefined && action.button !== 1)
    throw new MachineError(
      'INVALID',
      `button is ${action.button}, and a finger can only do what button 1 does`,
    )
  if (action.holdKey !== undefined)
    throw new MachineError('INVALID', 'holdKey has no meaning on a phone: leave it out')
}

function lengthOf(length: Length, extent: number): number {
  const pixels = length.type === 'px' ? length.value : (length.numerator / length.denominator) * extent
  if (Number.isFinite(pixels) && pixels >= 0) return Math.round(pixels)
  throw new MachineError('INVALID', 'distance is a length of 0 or more; the direction says which way')
}

function onScreen({ x, y }: Point, { width, height }: ScreenSize): Point {
  return { x: clamp(x, width), y: clamp(y, height) }
}

function clamp(value: number, extent: number): number {
  return Math.min(Math.max(Math.round(value), marginPx), extent - 1 - marginPx)
}
