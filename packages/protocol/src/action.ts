import { z } from 'zod'
import { Length } from './length.ts'

const callId = z.string().optional().describe('Your own id of the action. The response repeats it.')
const point = { x: Length, y: Length }
const path = { startX: Length, startY: Length, endX: Length, endY: Length }
const relative = z.boolean().optional().describe('Whether the position is relative to that of the pointer.')

/** A key or several joined by `+`, in xdotool's syntax: `a`, `Return`, `ctrl+s`, `KP_0`. */
const keys = z.string().min(1).max(1000)
const aboutKeys = "A key, or several joined by `+`, in xdotool's syntax: `a`, `Return`, `ctrl+s`, `KP_0`."

/** A sum of flags: 1 left, 2 right, 4 middle, 8 back, 16 forward. */
const button = z
  .int()
  .min(1)
  .max(31)
  .describe('A sum of buttons: 1 left, 2 right, 4 middle, 8 back, 16 forward.')

/** Milliseconds; one day at most, so that a single call cannot wait forever. */
const milliseconds = z.number().min(0).max(86_400_000)

/** Wheel steps; positive is down and right. */
const steps = z.number().min(-1000).max(1000)

/** Defines an action: its `type`, its own fields, and the `callId` that every action may carry. */
export function action<const T extends string, S extends z.ZodRawShape>(type: T, shape: S) {
  return z.object({ type: z.literal(type), ...shape, callId })
}

const holdKey = keys.optional().describe(`Keys to hold meanwhile. ${aboutKeys}`)
const mouse = { ...point, holdKey, relative }

/** Actions for desktops and phones alike. */
export const sharedActions = [
  action('screenshot', {}),
  action('wait', { duration: milliseconds.describe('For how many milliseconds to wait.') }),
  action('finished', { message: z.string().optional().describe('What the agent has achieved.') }),
  action('failed', { message: z.string().optional().describe('Why the agent gives up.') }),
  action('client:user-takeover', {}),
  action('keyboard:type', {
    content: z.string().describe('The text, in any script.'),
    treatNewLineAsEnter: z
      .boolean()
      .nullable()
      .default(false)
      .describe('Whether a line break presses Enter; otherwise it presses Shift+Enter, which sends nothing.'),
  }),
  action('keyboard:hotkey', {
    keys: keys.describe(aboutKeys),
    duration: z.number().min(1).max(5000).optional().describe('For how many milliseconds to hold the keys.'),
  }),
] as const

/** Actions that only desktops support. */
export const computerActions = [
  action('mouse:click', { ...mouse, button }),
  action('mouse:doubleClick', { ...mouse, button }),
  action('mouse:tripleClick', { ...mouse, button }),
  action('mouse:move', mouse),
  action('mouse:scroll', {
    ...mouse,
    stepVertical: steps.describe('Wheel steps; positive is down.'),
    stepHorizontal: steps.describe('Wheel steps; positive is right.'),
  }),
  action('mouse:drag', {
    ...path,
    button: button.default(1),
    holdKey,
    startRelative: relative,
    endRelative: relative,
  }),
  action('key:down', { key: keys.describe(aboutKeys) }),
  action('key:up', { key: keys.describe(aboutKeys) }),
] as const

const packageName = z
  .string()
  .min(1)
  .max(255)
  .describe('The package of the app, such as `com.android.settings`; os:listApps lists them.')
const appName = z.string().min(1).max(255).describe('The name of the app as people see it.')

/** Actions that only phones support. */
export const mobileActions = [
  action('touch:tap', point),
  action('touch:longPress', {
    ...point,
    duration: milliseconds.describe('For how many milliseconds the finger stays down.'),
  }),
  action('touch:drag', path),
  action('touch:swipe', {
    ...point,
    direction: z.enum(['up', 'down', 'left', 'right']).describe('Where the finger moves to.'),
    distance: Length,
  }),
  action('android:back', {}),
  action('android:home', {}),
  action('os:listApps', {}),
  action('os:startApp', { packageName }),
  action('os:startAppByName', { name: appName }),
  action('os:closeApp', { packageName }),
  action('os:closeAppByName', { name: appName }),
] as const

/** Every action that a desktop supports. */
export const ComputerAction = z
  .discriminatedUnion('type', [...sharedActions, ...computerActions])
  .meta({ id: 'ComputerAction' })
export type ComputerAction = z.infer<typeof ComputerAction>

/** Every action that a phone supports. */
export const MobileAction = z
  .discriminatedUnion('type', [...sharedActions, ...mobileActions])
  .meta({ id: 'MobileAction' })
export type MobileAction = z.infer<typeof MobileAction>

/** Every action of the published contract, for any kind of machine. */
export const Action = z
  .discriminatedUnion('type', [...sharedActions, ...computerActions, ...mobileActions])
  .meta({ id: 'Action' })
export type Action = z.infer<typeof Action>
