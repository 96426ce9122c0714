import { pythonFamily } from '../grammars/python.ts'

export const kimi = pythonFamily(
  'Kimi: Thought, Action and Code sections with pyautogui calls in fractions.',
  {
    rule: 'none',
  },
)
