import { type Dialect, thousandths } from '../dialect.ts'
import type { Family } from '../family.ts'
import type { Grammar } from '../grammar.ts'
import type { Intent } from '../intent.ts'
import { labelWords } from '../readers/labels.ts'
import { qwen3, qwen25 } from '../readers/resize.ts'
import { readText } from '../readers/text.ts'
import { isWord, understand } from '../vocabulary/vocabulary.ts'

const words = new Map<string, Intent>([
  ['INFEASIBLE', { kind: 'failed' }],
  ['DONE', { kind: 'finished' }],
])

/** `<tool_call>` around a `computer_use` or `mobile_use` object or its tags. `Action:` is a sentence here. */
export function toolCalls(dialect: Dialect): Grammar {
  return {
    dialect,
    labels: labelWords({
      thought: ['Thought', 'Thoughts', 'Observation', 'Reflection', 'Summary', 'Explanation'],
      free: ['Action'],
      memory: ['Memory'],
    }),
    tags: new Map([
      ['think*', 'thought'],
      ['thought', 'thought'],
      ['conclusion', 'memory'],
    ]),
    calls: false,
    objects: true,
    functions: true,
    words,
    knows: isWord,
    unannounced: 'first in line',
    understand,
  }
}

export function toolCalling(about: string, dialect: Dialect): Family {
  const grammar = toolCalls(dialect)
  return { about, read: reading => readText(reading, grammar) }
}

const base: Dialect = {
  ...thousandths,
  waitMs: 2000,
  clickAtPointer: true,
  newLineIsEnter: 'always',
}

export const qwen25vl = toolCalling('Qwen2.5-VL: tool_call objects in pixels of the resized image.', {
  ...base,
  units: 'pixels',
  resize: qwen25,
})

export const qwen3vl = toolCalling('Qwen3-VL and 3.5: tool_call objects or tags in thousandths.', {
  ...base,
  resize: qwen3,
})

export const maiUi = toolCalling('MAI-UI: thinking tags and a mobile_use tool_call in thousandths.', {
  ...base,
  units: 'thousandths-or-pixels',
  resize: qwen3,
})

export const guiOwl = toolCalling(
  'GUI-Owl and Mobile-Agent: tool_call objects, in thousandths or pixels by version.',
  {
    ...base,
    units: 'thousandths-or-pixels',
    resize: qwen25,
  },
)
