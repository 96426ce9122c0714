import { jsonGrammar, pixels, speakingJson } from '../grammars/json.ts'

export const openai = speakingJson(
  'OpenAI computer use: computer_call objects in pixels.',
  jsonGrammar(pixels),
)
