import { thousandths } from '../dialect.ts'
import type { Family } from '../family.ts'
import type { Grammar } from '../grammar.ts'
import { labelWords } from '../readers/labels.ts'
import { qwen25 } from '../readers/resize.ts'
import { readText } from '../readers/text.ts'
import { isWord, understand } from '../vocabulary/vocabulary.ts'

/** `<think>…</think><action>Click(box=(x, y))</action><conclusion>…</conclusion>`. */
const grammar: Grammar = {
  dialect: { ...thousandths, units: 'thousandths-or-pixels', resize: qwen25, waitMs: 1000 },
  labels: labelWords({}),
  tags: new Map([
    ['think*', 'thought'],
    ['action', 'action'],
    ['conclusion', 'memory'],
  ]),
  calls: true,
  objects: false,
  functions: false,
  words: new Map(),
  knows: name => name === 'Sequence' || name === 'GetScreenshot' || isWord(name),
  unannounced: 'first in line',
  // It wants a screenshot saved on the phone, which only the phone's key does.
  understand: (verb, fields, dialect) =>
    verb === 'GetScreenshot' ? { kind: 'keys', keys: 'Print' } : understand(verb, fields, dialect),
}

export const uiVenus: Family = {
  about: 'UI-Venus: think, action and conclusion tags around a call.',
  read: reading => readText(reading, grammar),
}
