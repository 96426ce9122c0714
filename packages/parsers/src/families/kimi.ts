import { speakingPython } from '../grammars/python.ts'

export const kimi = speakingPython(
  'Kimi: Thought, Action and Code sections with pyautogui calls in fractions.',
  {
    rule: 'none',
  },
)
