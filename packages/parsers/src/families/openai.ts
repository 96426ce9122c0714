import { jsonFamily, jsonGrammar, pixels } from '../grammars/json.ts'

export const openai = jsonFamily('OpenAI computer use: computer_call objects in pixels.', jsonGrammar(pixels))
