import { z } from 'zod'
import type { RequestedAction } from '../mobile-alias.ts'
import { Coordinate, type Place, placeOn, required } from './coordinate.ts'
import type { Scale } from './scale.ts'
import type { ToolDefinition } from './tool-definition.ts'

const pointer = [
  'click',
  'rightClick',
  'doubleClick',
  'middleClick',
  'move',
  'leftClickDrag',
  'scroll',
] as const
const actions = [...pointer, 'keyPress', 'type', 'cursorPosition', 'screenShot', 'wait'] as const

const Input = z.object({
  action: z.enum(actions).meta({
    description:
      'click, rightClick, doubleClick, middleClick and move go to coordinate. leftClickDrag drags from startCoordinate to coordinate. scroll turns the wheel at coordinate. keyPress presses the keys in text. type types text. screenShot and cursorPosition only look. wait waits for duration.',
  }),
  coordinate: Coordinate.optional().meta({
    description:
      'For mouse actions: [x, y] in pixels of the last picture. Defaults to the position of the pointer.',
  }),
  startCoordinate: Coordinate.optional().meta({
    description: 'For leftClickDrag: where it starts. Defaults to the position of the pointer.',
  }),
  text: z.string().max(100_000).optional().meta({
    description:
      'For type: the text, in any script; a line break presses Enter. For keyPress: a key, or keys joined by +, such as Return, ctrl+s, alt+Tab. For mouse actions: keys to hold meanwhile, such as shift.',
  }),
  scrollDirection: z.enum(['up', 'down', 'left', 'right']).optional().meta({ description: 'For scroll.' }),
  scrollAmount: z.number().min(0).max(100).optional().meta({
    description: 'For scroll: wheel steps, 3 by default.',
  }),
  duration: z.number().min(0).max(60).optional().meta({
    description: 'Seconds. For wait, how long; for keyPress, how long the keys are held, at most 5.',
  }),
})
type Input = z.infer<typeof Input>

export const computerUse = {
  name: 'computer-use',
  title: 'Use the computer',
  description:
    'Look at the screen of the computer and use its mouse and keyboard. Every action returns a picture of the screen, taken when the action has taken effect; coordinates are pixels of that picture. Start with screenShot. Click in the middle of the target, and look at the returned picture before you continue.',
  input: Input,
} as const satisfies ToolDefinition

/** What a model is told after an action. */
export const computerUseConfirmations: Readonly<Record<Input['action'], string>> = {
  click: 'Clicked.',
  rightClick: 'Clicked with the right button.',
  doubleClick: 'Clicked twice.',
  middleClick: 'Clicked with the middle button.',
  move: 'Moved the pointer.',
  leftClickDrag: 'Dragged.',
  scroll: 'Scrolled.',
  keyPress: 'Pressed.',
  type: 'Typed.',
  cursorPosition: 'Looked.',
  screenShot: 'Looked.',
  wait: 'Waited.',
}

const here = { x: { type: 'px', value: 0 }, y: { type: 'px', value: 0 } } as const satisfies Place
const buttons = { click: 1, rightClick: 2, middleClick: 4 } as const
const defaultScrollSteps = 3

/** Converts the input to an action in pixels of the screen. */
export function computerActionOf(input: Input, scale: Scale): RequestedAction {
  const { action, text } = input
  const target = () => mouseTarget(input, scale)
  switch (action) {
    case 'click':
    case 'rightClick':
    case 'middleClick':
      return { type: 'mouse:click', ...target(), button: buttons[action] }
    case 'doubleClick':
      return { type: 'mouse:doubleClick', ...target(), button: 1 }
    case 'move':
      required(input.coordinate, 'coordinate', action, 'give [x, y] in pixels of the last picture')
      return { type: 'mouse:move', ...target() }
    case 'leftClickDrag':
      return dragOf(input, scale)
    case 'scroll':
      return { type: 'mouse:scroll', ...target(), ...scrollStepsOf(input) }
    case 'keyPress': {
      const keys = required(text, 'text', action, 'give a key or keys joined by +, such as Return or ctrl+s')
      const { duration } = input
      return {
        type: 'keyboard:hotkey',
        keys,
        ...(duration !== undefined && duration > 0 && { duration: duration * 1000 }),
      }
    }
    case 'type':
      return {
        type: 'keyboard:type',
        content: required(text, 'text', action, 'give the text to type'),
        treatNewLineAsEnter: true,
      }
    case 'wait': {
      const seconds = required(input.duration, 'duration', action, 'give seconds, at most 60')
      return { type: 'wait', duration: seconds * 1000 }
    }
    case 'cursorPosition':
    case 'screenShot':
      return { type: 'screenshot' }
  }
}

/** Uses the current position of the pointer if no coordinate is given. */
function mouseTarget({ coordinate, text }: Input, scale: Scale) {
  const place = coordinate ? placeOn(scale, 'coordinate', coordinate) : { ...here, relative: true }
  return { ...place, ...(text && { holdKey: text }) }
}

function dragOf({ action, coordinate, startCoordinate, text }: Input, scale: Scale): RequestedAction {
  const to = required(
    coordinate,
    'coordinate',
    action,
    'give [x, y] where it ends, in pixels of the last picture',
  )
  const end = placeOn(scale, 'coordinate', to)
  const start = startCoordinate ? placeOn(scale, 'startCoordinate', startCoordinate) : here
  return {
    type: 'mouse:drag',
    button: 1,
    startX: start.x,
    startY: start.y,
    endX: end.x,
    endY: end.y,
    ...(!startCoordinate && { startRelative: true }),
    ...(text && { holdKey: text }),
  }
}

function scrollStepsOf({ action, scrollDirection, scrollAmount = defaultScrollSteps }: Input) {
  const direction = required(scrollDirection, 'scrollDirection', action, 'give up, down, left or right')
  const steps = direction === 'up' || direction === 'left' ? -scrollAmount : scrollAmount
  const isVertical = direction === 'up' || direction === 'down'
  return { stepVertical: isVertical ? steps : 0, stepHorizontal: isVertical ? 0 : steps }
}
