import { z } from 'zod'
import type { RequestedAction } from '../mobile-alias.ts'
import { Coordinate, placeOn, required } from './coordinate.ts'
import type { Scale } from './scale.ts'
import type { ToolDefinition } from './tool-definition.ts'

const actions = [
  'tap',
  'longPress',
  'swipe',
  'drag',
  'type',
  'keyPress',
  'back',
  'home',
  'listApps',
  'startApp',
  'closeApp',
  'screenShot',
  'wait',
] as const

const Input = z.object({
  action: z.enum(actions).meta({
    description:
      'tap and longPress touch coordinate. swipe moves a finger from coordinate in swipeDirection; drag moves it from startCoordinate to coordinate. type types text, keyPress presses the keys in text. back and home are the buttons of the phone. startApp and closeApp take the app in text. screenShot only looks. wait waits for duration.',
  }),
  coordinate: Coordinate.optional(),
  startCoordinate: Coordinate.optional().meta({ description: 'For drag: where the finger touches down.' }),
  swipeDirection: z
    .enum(['up', 'down', 'left', 'right'])
    .optional()
    .meta({ description: 'For swipe: the direction of the finger; up shows what is further down.' }),
  text: z.string().max(100_000).optional().meta({
    description:
      'For type: the text. For keyPress: a key such as Return. For startApp and closeApp: the name of the app, or its package such as com.android.settings.',
  }),
  duration: z.number().min(0).max(60).optional().meta({
    description: 'Seconds. For wait, how long; for longPress, how long the finger stays, 1 by default.',
  }),
})
type Input = z.infer<typeof Input>

export const mobileUse = {
  name: 'mobile-use',
  title: 'Use the phone',
  description:
    'Look at the screen of the phone and use it by touch. Every action returns a picture of the screen, taken when the action has taken effect; coordinates are pixels of that picture. Start with screenShot, and look at the returned picture before you continue.',
  input: Input,
} as const satisfies ToolDefinition

/** A swipe covers a third of the screen. */
const swipeLength = { type: '/', numerator: 1, denominator: 3 } as const
const defaultPressMs = 1000

/** Converts the input to an action in pixels of the screen. */
export function mobileActionOf(input: Input, scale: Scale): RequestedAction {
  const { action } = input
  const text = (how: string) => required(input.text, 'text', action, how)
  const at = () =>
    placeOn(
      scale,
      'coordinate',
      required(input.coordinate, 'coordinate', action, 'give [x, y] in pixels of the last picture'),
    )
  switch (action) {
    case 'tap':
      return { type: 'touch:tap', ...at() }
    case 'longPress':
      return { type: 'touch:longPress', ...at(), duration: (input.duration ?? defaultPressMs / 1000) * 1000 }
    case 'swipe': {
      const direction = required(
        input.swipeDirection,
        'swipeDirection',
        action,
        'give up, down, left or right',
      )
      return { type: 'touch:swipe', ...at(), direction, distance: swipeLength }
    }
    case 'drag': {
      const from = required(
        input.startCoordinate,
        'startCoordinate',
        action,
        'give [x, y] where the finger touches down',
      )
      const [start, end] = [placeOn(scale, 'startCoordinate', from), at()]
      return { type: 'touch:drag', startX: start.x, startY: start.y, endX: end.x, endY: end.y }
    }
    case 'type':
      return { type: 'keyboard:type', content: text('give the text to type'), treatNewLineAsEnter: true }
    case 'keyPress':
      return { type: 'keyboard:hotkey', keys: text('give a key such as Return') }
    case 'back':
      return { type: 'android:back' }
    case 'home':
      return { type: 'android:home' }
    case 'listApps':
      return { type: 'os:listApps' }
    case 'startApp': {
      const app = text('give the name of the app or its package')
      return isPackage(app)
        ? { type: 'os:startApp', packageName: app }
        : { type: 'os:startAppByName', name: app }
    }
    case 'closeApp': {
      const app = text('give the name of the app or its package')
      return isPackage(app)
        ? { type: 'os:closeApp', packageName: app }
        : { type: 'os:closeAppByName', name: app }
    }
    case 'wait':
      return {
        type: 'wait',
        duration: required(input.duration, 'duration', action, 'give seconds, at most 60') * 1000,
      }
    case 'screenShot':
      return { type: 'screenshot' }
  }
}

/** Package names have dots and no spaces, such as com.android.settings. */
function isPackage(app: string): boolean {
  return /^[A-Za-z]\w*(\.\w+)+$/.test(app)
}
