import { pythonFamily } from '../grammars/python.ts'
import { qwen25 } from '../readers/resize.ts'

export const opencua = pythonFamily(
  'OpenCUA: Thought, Action and Code sections with pyautogui calls.',
  qwen25,
)
