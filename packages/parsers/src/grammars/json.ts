import type { Dialect } from '../dialect.ts'
import type { Family } from '../family.ts'
import type { Grammar } from '../grammar.ts'
import { labelWords } from '../readers/labels.ts'
import { readText } from '../readers/text.ts'
import { isWord, understand } from '../vocabulary/vocabulary.ts'

/** Interfaces whose tool calls are JSON: text outside of objects is the model talking. */
export function jsonGrammar(dialect: Dialect, meaning: Grammar['understand'] = understand): Grammar {
  return {
    dialect,
    labels: labelWords({}),
    tags: new Map([['think*', 'thought']]),
    calls: false,
    objects: true,
    functions: true,
    words: new Map(),
    knows: isWord,
    unannounced: 'first in line',
    understand: meaning,
  }
}

export function speakingJson(about: string, grammar: Grammar): Family {
  return { about, read: reading => readText(reading, grammar) }
}

/** What the interfaces that count pixels have in common. */
export const pixels: Dialect = {
  units: 'pixels',
  resize: { rule: 'none' },
  waitMs: 1000,
  clickAtPointer: true,
  blankBetweenKeys: 'chord',
  pressHolds: false,
  newLineIsEnter: 'always',
}
