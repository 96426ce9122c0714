import type { TimelineAction } from '@sandglass/protocol'

const titles: Readonly<Record<string, string>> = {
  screenshot: 'Screenshot',
  wait: 'Wait',
  finished: 'Finished',
  failed: 'Failed',
  'client:user-takeover': 'Ask for a person',
  'keyboard:type': 'Type',
  'keyboard:hotkey': 'Press keys',
  'key:down': 'Hold a key',
  'key:up': 'Release a key',
  'mouse:click': 'Click',
  'mouse:doubleClick': 'Double click',
  'mouse:tripleClick': 'Triple click',
  'mouse:move': 'Move the mouse',
  'mouse:scroll': 'Scroll',
  'mouse:drag': 'Drag',
  'touch:tap': 'Tap',
  'touch:longPress': 'Long press',
  'touch:drag': 'Drag',
  'touch:swipe': 'Swipe',
  'android:back': 'Back',
  'android:home': 'Home',
  'os:listApps': 'List apps',
  'os:startApp': 'Start an app',
  'os:startAppByName': 'Start an app',
  'os:closeApp': 'Close an app',
  'os:closeAppByName': 'Close an app',
}

/** What was done, in a few words. */
export function actionTitle({ type }: TimelineAction): string {
  return titles[type] ?? type
}

/** The arguments of an action, as they are read best. */
export function argumentsOf({ action }: TimelineAction): readonly (readonly [string, string])[] {
  if (!action) return []
  return Object.entries(action)
    .filter(([name, value]) => name !== 'type' && name !== 'callId' && value !== null && value !== false)
    .map(([name, value]) => [name, valueText(value)] as const)
}

function valueText(value: unknown): string {
  if (typeof value !== 'object' || value === null)
    return typeof value === 'string' ? JSON.stringify(value) : String(value)
  if ('type' in value && value.type === 'px' && 'value' in value) return `${value.value} px`
  if ('numerator' in value && 'denominator' in value) return `${value.numerator}/${value.denominator}`
  return JSON.stringify(value)
}
