import { type Dialect, thousandths } from '../dialect.ts'
import type { Family } from '../family.ts'
import type { Grammar } from '../grammar.ts'
import type { Intent } from '../intent.ts'
import { labelWords } from '../readers/labels.ts'
import { readText } from '../readers/text.ts'
import { isWord, understand } from '../vocabulary/vocabulary.ts'

const words = new Map<string, Intent>([
  ['INFEASIBLE', { kind: 'failed' }],
  ['DONE', { kind: 'finished' }],
])

/**
 * The grammar of `<tool_call>` around a `computer_use` or `mobile_use` object or its tags. `Action:` introduces prose
 * here.
 */
export function toolCalls(dialect: Dialect): Grammar {
  return {
    dialect,
    labels: labelWords({
      thought: ['Thought', 'Thoughts', 'Observation', 'Reflection', 'Summary', 'Explanation', 'Description'],
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

export function toolCallFamily(about: string, dialect: Dialect): Family {
  const grammar = toolCalls(dialect)
  return { about, read: reading => readText(reading, grammar) }
}

/** The dialect of families that were trained on Qwen's tools. */
export const toolDialect: Dialect = {
  ...thousandths,
  waitMs: 2000,
  clickAtPointer: true,
  newLineIsEnter: 'always',
}
