import { thousandths } from '../dialect.ts'
import type { Family } from '../family.ts'
import type { Grammar } from '../grammar.ts'
import type { Intent } from '../intent.ts'
import { chinese, labelWords } from '../readers/labels.ts'
import { uiTars15 } from '../readers/resize.ts'
import { readText } from '../readers/text.ts'
import { isWord, understand } from '../vocabulary/vocabulary.ts'

/** Goes back in a browser; on a phone it is the back button. */
const pageBack: Intent = { kind: 'keys', keys: 'alt+Left' }

/** `Thought: …` and `Action: click(start_box='(x,y)')`. Version 1.0 uses thousandths, 1.5 pixels. */
export const grammar: Grammar = {
  dialect: { ...thousandths, units: 'thousandths-or-pixels', resize: uiTars15, pressHolds: true },
  labels: labelWords({
    thought: [
      'Thought',
      'Thoughts',
      'Reflection',
      'Action_Summary',
      'Summary',
      'Observation',
      'Reason',
      'Thinking',
      ...chinese.thought,
    ],
    action: ['Action', 'Actions', ...chinese.action],
    memory: ['Memory', ...chinese.memory],
  }),
  tags: new Map([
    ['think*', 'thought'],
    ['thought', 'thought'],
  ]),
  calls: true,
  objects: false,
  functions: true,
  words: new Map(),
  knows: isWord,
  unannounced: 'first in line',
  understand: (verb, fields, dialect, space) =>
    verb === 'navigate_back' && space === 'computer' ? pageBack : understand(verb, fields, dialect),
}

const pixelGrammar: Grammar = { ...grammar, dialect: { ...grammar.dialect, units: 'pixels' } }

export const uiTars: Family = {
  about: 'UI-TARS 1.0 and 1.5, Doubao-1.5-ui-tars: Thought and Action lines with calls.',
  plain: grammar,
  read: reading => readText(reading, grammar),
}

/** For callers that know the version: small numbers are also pixels. */
export const uiTars15Pixels: Family = {
  about: 'UI-TARS 1.5 with open weights: the same, always in pixels of the resized image.',
  plain: pixelGrammar,
  read: reading => readText(reading, pixelGrammar),
}
