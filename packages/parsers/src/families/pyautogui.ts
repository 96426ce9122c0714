import { speakingPython } from '../grammars/python.ts'

export const pyautogui = speakingPython(
  'Python calls of pyautogui, read and never run, in pixels or fractions.',
  {
    rule: 'none',
  },
)
