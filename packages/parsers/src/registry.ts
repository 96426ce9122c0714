import { agentcpmGui } from './families/agentcpm-gui.ts'
import { anthropic } from './families/anthropic.ts'
import { autoglm } from './families/autoglm.ts'
import { gemini } from './families/gemini.ts'
import { glm41v, glm45v } from './families/glm.ts'
import { guiOwl } from './families/gui-owl.ts'
import { holo } from './families/holo.ts'
import { kimi } from './families/kimi.ts'
import { maiUi } from './families/mai-ui.ts'
import { openai } from './families/openai.ts'
import { opencua } from './families/opencua.ts'
import { pyautogui } from './families/pyautogui.ts'
import { qwen25vl } from './families/qwen-2.5-vl.ts'
import { qwen3vl } from './families/qwen-3-vl.ts'
import { seed } from './families/seed.ts'
import { stepGui } from './families/step-gui.ts'
import { uiTars, uiTars15Pixels } from './families/ui-tars.ts'
import { uiVenus } from './families/ui-venus.ts'
import type { Family } from './family.ts'

/** All families by `{type}`: first those of the contract, then additions. */
export const families = {
  'ui-tars': uiTars,
  seed,
  'glm-4.1v': glm41v,
  'glm-4.5v': glm45v,
  'qwen-2.5-vl': qwen25vl,
  'qwen-3-vl': qwen3vl,
  pyautogui,
  'ui-tars-1.5': uiTars15Pixels,
  openai,
  anthropic,
  gemini,
  opencua,
  kimi,
  autoglm,
  'mai-ui': maiUi,
  'gui-owl': guiOwl,
  'step-gui': stepGui,
  'agentcpm-gui': agentcpmGui,
  'ui-venus': uiVenus,
  holo,
} as const satisfies Record<string, Family>

export type FamilyName = keyof typeof families
