import type { Family } from '../family.ts'
import { jsonGrammar, pixels } from '../grammars/json.ts'
import { anthropicFit } from '../readers/resize.ts'
import { readText } from '../readers/text.ts'

/** Its `key` uses xdotool's syntax, where spaces separate successive presses. */
const grammar = jsonGrammar({ ...pixels, resize: anthropicFit, blankBetweenKeys: 'sequence' })

export const anthropic: Family = {
  about: 'Anthropic computer use: tool_use objects in pixels of the image sent.',
  read: reading => {
    const dialect = readText(reading, grammar)
    // With the toolset, images that would have been shrunk are rejected instead.
    return reading.text.includes('toolset_name') ? { ...dialect, resize: { rule: 'none' } } : dialect
  },
}
