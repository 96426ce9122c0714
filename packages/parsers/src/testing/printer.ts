import type { Action } from '@sandglass/protocol'
import type { ParserType } from '../index.ts'
import type { Length } from '../screen.ts'

/** Prints an action as a family would; undefined if the family has no canonical form for it. */
export type Printer = (action: Action) => string | undefined

function raw(length: Length): number {
  return length.type === 'px' ? length.value : length.numerator
}

function quote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n')}'`
}

function towards(vertical: number, horizontal: number): [direction: string, steps: number] {
  if (vertical !== 0) return [vertical > 0 ? 'down' : 'up', Math.abs(vertical)]
  return [horizontal > 0 ? 'right' : 'left', Math.abs(horizontal)]
}

const clickVerbs = {
  'mouse:click': 'click',
  'mouse:doubleClick': 'left_double',
  'touch:tap': 'click',
} as const

const uiTars: Printer = action => {
  const said = call(action)
  return said && `Thought: So be it.\nAction: ${said}`
}

function call(action: Action): string | undefined {
  switch (action.type) {
    case 'mouse:click':
    case 'mouse:doubleClick':
    case 'touch:tap':
      return `${clickVerbs[action.type]}(start_box='(${raw(action.x)},${raw(action.y)})')`
    case 'mouse:drag':
    case 'touch:drag': {
      const start = `(${raw(action.startX)},${raw(action.startY)})`
      return `drag(start_box='${start}', end_box='(${raw(action.endX)},${raw(action.endY)})')`
    }
    case 'mouse:scroll': {
      const [direction, steps] = towards(action.stepVertical, action.stepHorizontal)
      return `scroll(point='<point>${raw(action.x)} ${raw(action.y)}</point>', direction='${direction}', amount=${steps})`
    }
    case 'keyboard:type':
      return `type(content=${quote(action.content)})`
    case 'keyboard:hotkey':
      return `hotkey(key='${action.keys}')`
    case 'wait':
      return `wait(ms=${action.duration})`
    case 'finished':
      return action.message === undefined ? 'finished()' : `finished(content=${quote(action.message)})`
    case 'client:user-takeover':
      return 'call_user()'
    case 'os:startAppByName':
      return `open_app(app_name=${quote(action.name)})`
    case 'android:back':
      return 'press_back()'
    case 'android:home':
      return 'press_home()'
    default:
      return undefined
  }
}

function toolCall(tool: string, input: object): string {
  return `<tool_call>\n${JSON.stringify({ name: tool, arguments: input })}\n</tool_call>`
}

const qwen: Printer = action => {
  switch (action.type) {
    case 'mouse:click':
    case 'mouse:doubleClick': {
      const verb = action.type === 'mouse:click' ? 'left_click' : 'double_click'
      return toolCall('computer_use', { action: verb, coordinate: [raw(action.x), raw(action.y)] })
    }
    case 'touch:tap':
      return toolCall('mobile_use', { action: 'click', coordinate: [raw(action.x), raw(action.y)] })
    case 'touch:drag': {
      const coordinate = [raw(action.startX), raw(action.startY)]
      const coordinate2 = [raw(action.endX), raw(action.endY)]
      return toolCall('mobile_use', { action: 'swipe', coordinate, coordinate2 })
    }
    case 'keyboard:type':
      return toolCall('computer_use', { action: 'type', text: action.content })
    case 'keyboard:hotkey':
      return toolCall('computer_use', { action: 'key', keys: action.keys.split('+') })
    case 'wait':
      return toolCall('computer_use', { action: 'wait', time: action.duration / 1000 })
    case 'android:back':
      return toolCall('mobile_use', { action: 'system_button', button: 'Back' })
    default:
      return undefined
  }
}

const pyautogui: Printer = action => {
  switch (action.type) {
    case 'mouse:click':
    case 'touch:tap':
      return `\`\`\`python\npyautogui.click(x=${raw(action.x)}, y=${raw(action.y)})\n\`\`\``
    case 'mouse:doubleClick':
      return `pyautogui.doubleClick(${raw(action.x)}, ${raw(action.y)})`
    case 'mouse:scroll':
      if (action.stepHorizontal !== 0) return undefined
      return `pyautogui.scroll(${-action.stepVertical}, x=${raw(action.x)}, y=${raw(action.y)})`
    case 'keyboard:type':
      return `pyautogui.write(${quote(action.content)}, interval=0.1)`
    case 'keyboard:hotkey':
      return `pyautogui.hotkey(${action.keys.split('+').map(quote).join(', ')})`
    case 'wait':
      return `time.sleep(${action.duration / 1000})`
    default:
      return undefined
  }
}

const openai: Printer = action => {
  const say = (said: object) => JSON.stringify({ type: 'computer_call', action: said })
  switch (action.type) {
    case 'mouse:click':
    case 'touch:tap':
      return say({ type: 'click', x: raw(action.x), y: raw(action.y), button: 'left' })
    case 'mouse:drag': {
      const start = { x: raw(action.startX), y: raw(action.startY) }
      return say({ type: 'drag', path: [start, { x: raw(action.endX), y: raw(action.endY) }] })
    }
    case 'keyboard:type':
      return say({ type: 'type', text: action.content })
    case 'keyboard:hotkey':
      return say({ type: 'keypress', keys: action.keys.split('+') })
    default:
      return undefined
  }
}

const anthropic: Printer = action => {
  const say = (input: object) => JSON.stringify({ type: 'tool_use', name: 'computer', input })
  switch (action.type) {
    case 'mouse:click':
      return say({ action: 'left_click', coordinate: [raw(action.x), raw(action.y)] })
    case 'mouse:scroll': {
      const [scroll_direction, scroll_amount] = towards(action.stepVertical, action.stepHorizontal)
      return say({
        action: 'scroll',
        coordinate: [raw(action.x), raw(action.y)],
        scroll_direction,
        scroll_amount,
      })
    }
    case 'keyboard:type':
      return say({ action: 'type', text: action.content })
    case 'keyboard:hotkey':
      return say({ action: 'key', text: action.keys })
    default:
      return undefined
  }
}

const autoglm: Printer = action => {
  switch (action.type) {
    case 'touch:tap':
      return `do(action="Tap", element=[${raw(action.x)},${raw(action.y)}])`
    case 'touch:drag': {
      const start = `[${raw(action.startX)},${raw(action.startY)}]`
      return `do(action="Swipe", start=${start}, end=[${raw(action.endX)},${raw(action.endY)}])`
    }
    case 'keyboard:type':
      return `do(action="Type", text=${quote(action.content)})`
    case 'android:back':
      return 'do(action="Back")'
    case 'os:startAppByName':
      return `do(action="Launch", app=${quote(action.name)})`
    default:
      return undefined
  }
}

const uiVenus: Printer = action => {
  switch (action.type) {
    case 'mouse:click':
    case 'touch:tap':
      return `<think>Yes.</think><action>Click(box=(${raw(action.x)}, ${raw(action.y)}))</action>`
    case 'keyboard:type':
      return `<action>Type(content=${quote(action.content)})</action>`
    default:
      return undefined
  }
}

const stepGui: Printer = action => {
  if (action.type !== 'touch:tap') return undefined
  return `explain:so\taction:CLICK\tpoint:${raw(action.x)},${raw(action.y)}\tsummary:done`
}

const agentcpm: Printer = action => {
  if (action.type === 'touch:tap') return JSON.stringify({ POINT: [raw(action.x), raw(action.y)] })
  return action.type === 'keyboard:type' ? JSON.stringify({ TYPE: action.content }) : undefined
}

export type Counting = 'thousandths' | 'pixels'

/** The families with a canonical form, and their units. */
export const printers: Readonly<Partial<Record<ParserType, readonly [Counting, Printer]>>> = {
  'ui-tars': ['thousandths', uiTars],
  seed: ['thousandths', uiTars],
  'glm-4.5v': ['thousandths', action => call(action) && `<|begin_of_box|>${call(action)}<|end_of_box|>`],
  'qwen-2.5-vl': ['pixels', qwen],
  'qwen-3-vl': ['thousandths', qwen],
  'mai-ui': ['thousandths', qwen],
  'gui-owl': ['thousandths', qwen],
  holo: ['thousandths', qwen],
  pyautogui: ['pixels', pyautogui],
  opencua: ['pixels', pyautogui],
  openai: ['pixels', openai],
  anthropic: ['pixels', anthropic],
  autoglm: ['thousandths', autoglm],
  'ui-venus': ['thousandths', uiVenus],
  'step-gui': ['thousandths', stepGui],
  'agentcpm-gui': ['thousandths', agentcpm],
}
