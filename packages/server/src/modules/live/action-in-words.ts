import type { RequestedAction } from '@sandglass/protocol'

/** The bits of buttons in actions. */
const clicks: Readonly<Record<number, string>> = { 2: 'Right-clicking', 4: 'Middle-clicking' }

/** Longer names are cut off. */
const maxLength = 80

/** What an agent does with an action, for people who watch. What it types may be a secret and is never included. */
export function actionInWords(action: RequestedAction): string {
  return wordsFor(action).slice(0, maxLength)
}

function wordsFor(action: RequestedAction): string {
  switch (action.type) {
    case 'screenshot':
      return 'Looking at the screen'
    case 'wait':
      return 'Waiting'
    case 'finished':
      return 'Finished'
    case 'failed':
      return 'Gave up'
    case 'client:user-takeover':
      return 'Asking for a person'
    case 'keyboard:type':
      return typing(action.content)
    case 'keyboard:hotkey':
      return pressing(action.keys)
    case 'mouse:click':
      return clicks[action.button] ?? 'Clicking'
    case 'mouse:doubleClick':
      return 'Double-clicking'
    case 'mouse:tripleClick':
      return 'Triple-clicking'
    case 'mouse:move':
      return 'Moving the pointer'
    case 'mouse:scroll':
      return scrolling(action.stepVertical, action.stepHorizontal)
    case 'mouse:drag':
      return 'Dragging'
    case 'key:down':
      return 'Holding a key'
    case 'key:up':
      return 'Releasing a key'
    case 'touch:tap':
      return 'Tapping'
    case 'touch:longPress':
      return 'Pressing and holding'
    case 'touch:drag':
      return 'Dragging'
    case 'touch:swipe':
      return `Swiping ${action.direction}`
    case 'mobile:doubleTap':
      return 'Double-tapping'
    case 'android:back':
      return 'Going back'
    case 'android:home':
      return 'Going to the home screen'
    case 'os:listApps':
      return 'Listing the apps'
    case 'os:startApp':
      return `Opening ${action.packageName}`
    case 'os:startAppByName':
      return `Opening ${action.name}`
    case 'os:closeApp':
      return `Closing ${action.packageName}`
    case 'os:closeAppByName':
      return `Closing ${action.name}`
    case 'os:clickElement':
      return `Clicking ${action.element.name || 'an element'}`
    case 'os:setElementText':
      return typing(action.text)
    case 'os:scrollElement':
      return `Scrolling ${action.direction}`
  }
}

function typing(text: string): string {
  const count = [...text].length
  return count === 1 ? 'Typing a character' : `Typing ${count} characters`
}

const modifiers = /^(ctrl|control|alt|super|meta|cmd|win)$/i
const namedKeys =
  /^(return|enter|tab|escape|esc|space|backspace|delete|insert|home|end|prior|next|page_?up|page_?down|up|down|left|right|f\d+)$/i

/** Other keys may be characters of a password, so they are not shown. */
function pressing(keys: string): string {
  const names = keys.split('+')
  const isShown = modifiers.test(names[0] ?? '') || names.every(name => namedKeys.test(name))
  return isShown ? `Pressing ${names.map(titled).join('+')}` : 'Pressing a key'
}

function titled(name: string): string {
  return name.slice(0, 1).toUpperCase() + name.slice(1)
}

function scrolling(down: number, right: number): string {
  if (down !== 0) return down > 0 ? 'Scrolling down' : 'Scrolling up'
  return right > 0 ? 'Scrolling right' : 'Scrolling left'
}
