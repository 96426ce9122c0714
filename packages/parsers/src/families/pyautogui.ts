import { pythonFamily } from '../grammars/python.ts'

export const pyautogui = pythonFamily(
  'Python calls of pyautogui, which are parsed and never run, in pixels or fractions.',
  {
    rule: 'none',
  },
)
