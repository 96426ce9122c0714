import { jsonGrammar, pixels, speakingJson } from '../grammars/json.ts'
import { anthropicFit } from '../readers/resize.ts'

/** Its `key` takes what xdotool takes, where blanks part one press from the next. */
export const anthropic = speakingJson(
  'Anthropic computer use: tool_use objects in pixels of the image sent.',
  jsonGrammar({ ...pixels, resize: anthropicFit, blankBetweenKeys: 'sequence' }),
)
