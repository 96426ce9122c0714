import type { Family } from '../family.ts'
import { jsonGrammar, pixels } from '../grammars/json.ts'
import { anthropicFit } from '../readers/resize.ts'
import { readText } from '../readers/text.ts'

/** Its `key` takes what xdotool takes, where blanks part one press from the next. */
const grammar = jsonGrammar({ ...pixels, resize: anthropicFit, blankBetweenKeys: 'sequence' })

export const anthropic: Family = {
  about: 'Anthropic computer use: tool_use objects in pixels of the image sent.',
  read: reading => {
    const dialect = readText(reading, grammar)
    // Beside the toolset an image is refused where it would have been shrunk.
    return reading.text.includes('toolset_name') ? { ...dialect, resize: { rule: 'none' } } : dialect
  },
}
