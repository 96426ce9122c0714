import { thousandths } from '../dialect.ts'
import type { Family } from '../family.ts'
import type { Grammar } from '../grammar.ts'
import type { Intent } from '../intent.ts'
import { chinese, labelWords } from '../readers/labels.ts'
import { readText } from '../readers/text.ts'
import { typeAndEnter } from '../vocabulary/keyboard.ts'
import { isWord, plainWord, understand } from '../vocabulary/vocabulary.ts'

const words = new Map<string, Intent>([
  ['DONE', { kind: 'finished' }],
  ['FAIL', { kind: 'failed' }],
  ['WAIT', { kind: 'wait', duration: thousandths.waitMs }],
])

/** Calls between `<|begin_of_box|>` and `<|end_of_box|>` on a desktop, objects there on a phone. */
const grammar: Grammar = {
  dialect: thousandths,
  labels: labelWords({
    thought: ['Thought', 'Thoughts', 'Reason', 'Reasoning', 'Observation', 'Plan', ...chinese.thought],
    action: ['Action', 'Actions', ...chinese.action],
    memory: ['Memory', ...chinese.memory],
  }),
  tags: new Map([
    ['think*', 'thought'],
    ['answer', 'action'],
  ]),
  lineToken: '<|end_of_box|>',
  calls: true,
  objects: true,
  functions: true,
  words,
  knows: name => name === 'do' || isWord(name),
  unannounced: 'first in line',
  // On a phone, `input_text` taps the field, types and submits.
  understand: (verb, fields, dialect) =>
    plainWord(verb) === 'inputtext' ? typeAndEnter(fields, dialect) : understand(verb, fields, dialect),
}

function glm(about: string): Family {
  return { about, read: reading => readText(reading, grammar) }
}

export const glm41v = glm('GLM-4.1V: think tags, a boxed call or phone object, then Memory.')
export const glm45v = glm('GLM-4.5V and 4.6V: think tags, a boxed call or phone object, then Memory.')
