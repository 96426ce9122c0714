import { setTimeout as pause } from 'node:timers/promises'
import type { ComputerAction, Length, RequestedAction } from '@sandglass/protocol'
import { MachineError } from '../contract/errors.ts'
import type { Phone } from '../contract/phone.ts'
import type { Point } from '../contract/rect.ts'
import type { Screen } from '../contract/screen.ts'
import type { ScreenSize } from '../contract/spec.ts'
import { actOnPhoneElement } from './elements/on-phone.ts'
import { appByName } from './phone-app.ts'
import { androidKeysOf } from './phone-keys.ts'
import { placeOf } from './place.ts'
import { requireTypeable } from './typeable.ts'
import { requireBearable, wait } from './wait.ts'

/** What a phone can do: its own actions, and those of a mouse that a finger can do too. */
export type PhoneAction = Exclude<
  RequestedAction,
  Extract<ComputerAction, { type: 'mouse:move' | 'mouse:tripleClick' | `key:${string}` }>
>

const swipeMs = 300
const dragMs = 600
const betweenTapsMs = 80

/** A notch of a wheel moves the finger by this part of the screen. */
const notch = 0.1

/** A finger that begins at the edge of the screen means something else to a phone. */
const marginPx = 4

/** Does on a phone what an action says. What comes back is the action's own result, where it has one. */
export async function performOnPhone(
  action: PhoneAction,
  phone: Phone,
  screen: Screen,
  signal?: AbortSignal,
): Promise<unknown> {
  signal?.throwIfAborted()
  const options = { signal }
  switch (action.type) {
    case 'wait':
      return wait(action.duration, signal)
    case 'keyboard:type':
      return type(action.content, action.treatNewLineAsEnter === true, phone, signal)
    case 'keyboard:hotkey': {
      const { duration: durationMs } = action
      return phone.press(androidKeysOf(action.keys), {
        ...options,
        ...(durationMs !== undefined && { durationMs }),
      })
    }
    case 'android:back':
      return phone.press(['BACK'], options)
    case 'android:home':
      return phone.press(['HOME'], options)
    case 'os:listApps':
      return phone.apps(options)
    case 'os:startApp':
      return phone.start(action.packageName, options)
    case 'os:closeApp':
      return phone.close(action.packageName, options)
    case 'os:startAppByName':
      return phone.start(appByName(action.name, await phone.apps(options)).packageName, options)
    case 'os:closeAppByName':
      return phone.close(appByName(action.name, await phone.apps(options)).packageName, options)
    case 'os:clickElement':
    case 'os:setElementText':
    case 'os:scrollElement':
      return actOnPhoneElement(action, phone, screen, signal)
    case 'touch:tap':
      return tap(phone, placeOf(action.x, action.y, await screen.size()), 1, signal)
    case 'mobile:doubleTap':
      return tap(phone, placeOf(action.x, action.y, await screen.size()), 2, signal)
    case 'mouse:click':
    case 'mouse:doubleClick': {
      requireFinger(action)
      const at = placeOf(action.x, action.y, await screen.size(), await from(action.relative, screen))
      return tap(phone, at, action.type === 'mouse:click' ? 1 : 2, signal)
    }
    case 'touch:longPress': {
      requireBearable(action.duration)
      const at = placeOf(action.x, action.y, await screen.size())
      return phone.touch({ from: at, to: at, durationMs: Math.max(1, Math.round(action.duration)) }, options)
    }
    case 'touch:drag': {
      const size = await screen.size()
      const start = placeOf(action.startX, action.startY, size)
      return phone.touch(
        { from: start, to: placeOf(action.endX, action.endY, size), durationMs: dragMs },
        options,
      )
    }
    case 'mouse:drag': {
      requireFinger(action)
      const size = await screen.size()
      const start = placeOf(action.startX, action.startY, size, await from(action.startRelative, screen))
      const end = placeOf(action.endX, action.endY, size, action.endRelative ? start : undefined)
      return phone.touch({ from: start, to: end, durationMs: dragMs }, options)
    }
    case 'touch:swipe': {
      const size = await screen.size()
      const start = placeOf(action.x, action.y, size)
      const [x, y] = directions[action.direction]
      const distance = lengthOf(action.distance, x === 0 ? size.height : size.width)
      const end = onScreen({ x: start.x + x * distance, y: start.y + y * distance }, size)
      return phone.touch({ from: start, to: end, durationMs: swipeMs }, options)
    }
    case 'mouse:scroll': {
      requireFinger(action)
      const size = await screen.size()
      const start = placeOf(action.x, action.y, size, await from(action.relative, screen))
      const end = onScreen(
        {
          x: start.x - action.stepHorizontal * notch * size.width,
          y: start.y - action.stepVertical * notch * size.height,
        },
        size,
      )
      return phone.touch({ from: start, to: end, durationMs: swipeMs }, options)
    }
    default:
      // What remains is only looked at, or said.
      return undefined
  }
}

/** The finger's way: what is below it goes along. */
const directions = { up: [0, -1], down: [0, 1], left: [-1, 0], right: [1, 0] } as const

async function from(isRelative: boolean | undefined, screen: Screen): Promise<Point | undefined> {
  return isRelative ? (await screen.input()).taken() : undefined
}

async function tap(phone: Phone, at: Point, times: number, signal: AbortSignal | undefined): Promise<void> {
  for (let count = 0; count < times; count++) {
    if (count > 0) await pause(betweenTapsMs, undefined, { signal })
    await phone.touch({ from: at, to: at, durationMs: 0 }, { signal })
  }
}

/** Line breaks are Enter where that was asked for, and otherwise a part of the text. */
async function type(
  text: string,
  isEnter: boolean,
  phone: Phone,
  signal: AbortSignal | undefined,
): Promise<void> {
  requireTypeable(text)
  const lines = isEnter ? text.split(/\r\n|\r|\n/) : [text.replaceAll(/\r\n?/g, '\n')]
  for (const [index, line] of lines.entries()) {
    if (index > 0) await phone.press(['ENTER'], { signal })
    if (line !== '') await phone.type(line, { signal })
  }
}

/** A finger has one button, and a hand that holds a phone holds no keys. */
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

/** A swipe ends on the screen, however far it was meant to go. */
function onScreen({ x, y }: Point, { width, height }: ScreenSize): Point {
  return { x: clamp(x, width), y: clamp(y, height) }
}

function clamp(value: number, extent: number): number {
  return Math.min(Math.max(Math.round(value), marginPx), extent - 1 - marginPx)
}
