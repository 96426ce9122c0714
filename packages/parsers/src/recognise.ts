import { skipBlanks } from './readers/characters.ts'
import type { FamilyName } from './registry.ts'

/** Marks that only one family prints, the surest first. */
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
  ['◁think▷', 'kimi'],
  ['do(action=', 'autoglm'],
  ['finish(message=', 'autoglm'],
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
  ['"POINT"', 'agentcpm-gui'],
  ['"PRESS"', 'agentcpm-gui'],
  ['"STATUS"', 'agentcpm-gui'],
  ['"TYPE"', 'agentcpm-gui'],
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
  ['(box=', 'ui-venus'],
  ['PressBack()', 'ui-venus'],
  ['PressHome()', 'ui-venus'],
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
  ['>point>', 'seed'],
  ['>content>', 'seed'],
  ['>key>', 'seed'],
  ['DONE', 'glm-4.5v'],
  ['FAIL', 'glm-4.5v'],
  ['WAIT', 'glm-4.5v'],
]

/** The family that most likely printed a text; UI-TARS where nothing tells. */
export function recognise(text: string): FamilyName {
  const said = inDoubleQuotes(text)
  for (const [mark, family] of marks) {
    if (!said.includes(mark)) continue
    return family === 'qwen-3-vl' && countsPixels(said) ? 'qwen-2.5-vl' : family
  }
  return 'ui-tars'
}

/** An object as Python prints it, with the quotes that marks have. */
function inDoubleQuotes(text: string): string {
  const code = text.charCodeAt(skipBlanks(text, 0))
  return (code === 123 || code === 91) && !text.includes('"') ? text.replaceAll("'", '"') : text
}

/** Qwen's own split: a coordinate above 1000 is one of Qwen2.5-VL's pixels. */
function countsPixels(text: string): boolean {
  const at = text.indexOf('coordinate')
  const list = at < 0 ? -1 : text.indexOf('[', at)
  if (list < 0) return false
  const numbers = text.slice(list + 1, list + 40).split(/[,\]]/, 2)
  return numbers.some(number => Number.parseFloat(number) > 1000)
}
