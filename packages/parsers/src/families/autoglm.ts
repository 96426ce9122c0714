import { thousandths } from '../dialect.ts'
import type { Family } from '../family.ts'
import type { Grammar } from '../grammar.ts'
import { labelWords } from '../readers/labels.ts'
import { readText } from '../readers/text.ts'
import { understand } from '../vocabulary/vocabulary.ts'

/** `do(action="Tap", element=[x,y])` and `finish(message="…")`, with or without think and answer tags. */
const grammar: Grammar = {
  dialect: { ...thousandths, waitMs: 1000 },
  labels: labelWords({}),
  tags: new Map([
    ['think*', 'thought'],
    ['answer', 'action'],
  ]),
  calls: true,
  objects: false,
  functions: false,
  words: new Map(),
  knows: name => name === 'do' || name === 'finish',
  unannounced: 'by name',
  understand,
}

export const autoglm: Family = {
  about: 'AutoGLM on phones: do(action=…) and finish(message=…).',
  read: reading => readText(reading, grammar),
}
