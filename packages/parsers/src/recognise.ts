import type { FamilyName } from './registry.ts'

/** Strings that are typical of one family, most reliable first. */
const marks: readonly (readonly [string, FamilyName])[] = [
  ['<seed:tool_call', 'seed'],
  ['<computer_env>', 'seed'],
  ['<think_never_used', 'seed'],
  ['<thinkt>', 'seed'],
  ['pyautogui.', 'pyautogui'],
  ['time.sleep(', 'pyautogui'],
  ['computer.wait(', 'pyautogui'],
  ['computer.terminate(', 'pyautogui'],
  ['computer.triple', 'pyautogui'],
  ['\nmobile.', 'pyautogui'],
  ['◁think▷', 'kimi'],
  ['do(action=', 'autoglm'],
  ['finish(message=', 'autoglm'],
  ['<answer>finish(', 'autoglm'],
  ['<|begin_of_box|>', 'glm-4.5v'],
  ['"box_2d"', 'glm-4.5v'],
  ['element_info=', 'glm-4.5v'],
  ['left_click(start_box', 'glm-4.5v'],
  ["'box_2d'", 'glm-4.5v'],
  ['action_type', 'glm-4.5v'],
  ['action:CLICK', 'step-gui'],
  ['\taction:', 'step-gui'],
  ['\tpoint', 'step-gui'],
  ['\tvalue:', 'step-gui'],
  ['\tkey:', 'step-gui'],
  ['\treturn:', 'step-gui'],
  ['\tsummary:', 'step-gui'],
  ['<grounding_think', 'mai-ui'],
  ['### Action ###\n{', 'gui-owl'],
  ['### Description ###', 'gui-owl'],
  ['"POINT"', 'agentcpm-gui'],
  ['"PRESS"', 'agentcpm-gui'],
  ['"STATUS"', 'agentcpm-gui'],
  ['"TYPE"', 'agentcpm-gui'],
  ['"CLEAR"', 'agentcpm-gui'],
  ['"tool_use"', 'anthropic'],
  ['"toolset_name"', 'anthropic'],
  ['"scroll_direction"', 'anthropic'],
  ['"computer_call"', 'openai'],
  ['"call_id"', 'openai'],
  ['"keypress"', 'openai'],
  ['"scroll_y"', 'openai'],
  ['_at"', 'gemini'],
  ['_at(', 'gemini'],
  ['key_combination', 'gemini'],
  ['drag_and_drop', 'gemini'],
  ['"press_key"', 'gemini'],
  ['"take_screenshot"', 'gemini'],
  ['"intent"', 'gemini'],
  ['"mobile_use"', 'qwen-3-vl'],
  ['"computer_use"', 'qwen-3-vl'],
  ['=computer_use', 'qwen-3-vl'],
  ['=mobile_use', 'qwen-3-vl'],
  ['click_element', 'holo'],
  ['"tool_name"', 'holo'],
  ['write_element', 'holo'],
  ['<tool_call>', 'holo'],
  ['<action>', 'ui-venus'],
  ['<conclusion>', 'ui-venus'],
  ['(box=', 'ui-venus'],
  ['PressBack()', 'ui-venus'],
  ['PressHome()', 'ui-venus'],
  ['<answer>[{"action"', 'qwen-2.5-vl'],
  ["<answer>[{'action'", 'qwen-2.5-vl'],
  ['<|FunctionCall', 'seed'],
  ['<function_call>', 'seed'],
  ['"point"', 'seed'],
  ['\\"point\\"', 'seed'],
  ['start_box=', 'ui-tars'],
  ['<point>', 'ui-tars'],
  ['Action:', 'ui-tars'],
  ['Action：', 'ui-tars'],
  ['<answer>', 'seed'],
  ['[INFEASIBLE]', 'qwen-3-vl'],
  ['"arguments"', 'qwen-3-vl'],
  ['"args"', 'gemini'],
  ['"coordinate"', 'anthropic'],
  ['"type"', 'openai'],
  ['"action"', 'holo'],
  ['"duration"', 'agentcpm-gui'],
  ['>point>', 'seed'],
  ['>content>', 'seed'],
  ['>key>', 'seed'],
  ['DONE', 'glm-4.5v'],
  ['FAIL', 'glm-4.5v'],
  ['WAIT', 'glm-4.5v'],
]

/** The first characters of many marks, one bit each: if a text lacks one, it lacks all marks that start with it. */
const signs = ['"', '<', '\t', '#']

function signsWhere(matches: (sign: string) => boolean): number {
  return signs.reduce((found, sign, at) => (matches(sign) ? found | (1 << at) : found), 0)
}

const known = marks.map(([mark, family]) => ({
  mark,
  family,
  sign: signsWhere(sign => mark.startsWith(sign)),
}))

/** The family that most likely produced a text; UI-TARS if there is no indication. */
export function recognise(text: string): FamilyName {
  const missing = signsWhere(sign => !text.includes(sign))
  // The marks use JSON's quotes; an object may use Python's throughout, or curly ones.
  if ((missing & 1) !== 0) {
    if (text.includes('{“')) return recognise(text.replaceAll('“', '"').replaceAll('”', '"'))
    if (text.includes("{'")) return recognise(text.replaceAll("'", '"'))
  }
  for (const { mark, family, sign } of known) {
    if ((sign & missing) !== 0 || !text.includes(mark)) continue
    return family === 'qwen-3-vl' && countsPixels(text) ? 'qwen-2.5-vl' : family
  }
  return text.startsWith('mobile.') ? 'pyautogui' : 'ui-tars'
}

/** Qwen's versions differ: a coordinate above 1000 is a pixel of Qwen2.5-VL. */
function countsPixels(text: string): boolean {
  const at = text.indexOf('coordinate')
  const list = at < 0 ? -1 : text.indexOf('[', at)
  if (list < 0) return false
  const numbers = text.slice(list + 1, list + 40).split(/[,\]]/, 2)
  return numbers.some(number => Number.parseFloat(number) > 1000)
}
